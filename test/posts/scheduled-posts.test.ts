import { beforeEach, expect, it } from 'vitest';
import type { PostRow } from '../../functions/posts/post.ts';
import { postLists } from '../../functions/posts/post-lists.ts';
import { rowsOfPost } from '../../functions/posts/post-store.ts';
import type { PostFilters } from '../../functions/posts/wanted-posts.ts';
import { sweep } from '../../functions/publishing/sweep.ts';
import { HOUR_MS, isoAt, MINUTE_MS } from '../../functions/shared/clock.ts';
import { keys } from '../../functions/shared/table/keys.ts';
import type { ServiceTable } from '../../functions/shared/table/service-table.ts';
import { tableUnderTest } from '../table-under-test.ts';
import { postService } from './post-service.ts';

const engine = tableUnderTest();
let service: Awaited<ReturnType<typeof postService>>;
beforeEach(async () => {
  service = await postService(engine.table, { channels: 2 });
});

async function scheduled(inMs = HOUR_MS): Promise<string> {
  const channels = service.channelIds.map((id) => ({ id }));
  const { body } = await service.create({ caption: 'x', channels, scheduled_for: Date.now() + inMs });
  return JSON.parse(body).id;
}

/** The page of what waits for its time, and how many index entries were read for it. */
async function page(filters: PostFilters = {}, nowMs = Date.now()) {
  let entries = 0;
  const counting: ServiceTable = {
    ...engine.table,
    query: async (input) => {
      const found = await engine.table.query(input);
      entries += found.rows.length;
      return found;
    },
  };
  const { workspaceId } = service;
  const wanted = { workspaceId, limit: 25, olderThan: undefined, nowMs };
  const { posts } = await postLists(counting).page({ ...wanted, filters: { scheduled: 'true', ...filters } });
  return { ids: posts.map(({ post }) => post.id), entries };
}

const change = (postId: string, row: Partial<PostRow>) =>
  engine.table.update({
    Key: keys.post(service.workspaceId, postId),
    UpdateExpression: `SET ${Object.keys(row).map((name) => `#${name} = :${name}`)}`,
    ExpressionAttributeNames: Object.fromEntries(Object.keys(row).map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(row).map(([name, value]) => [`:${name}`, value]),
    ),
  });

const idle = { send: async () => {}, sendAll: async () => {} };
const sweepAt = (nowMs: number) =>
  sweep(Number.POSITIVE_INFINITY, {
    ...{ table: engine.table, clock: () => nowMs },
    ...{ dueQueue: idle, publishQueue: idle, fetchQueue: idle, processQueue: idle },
  });

it('are listed for the workspace and for each channel, from when they are scheduled until they are not', async () => {
  const id = await scheduled();
  const [channel_id = ''] = service.channelIds;
  await service.remove(id);
  expect([await page(), await page({ channel_id })]).toEqual(Array(2).fill({ ids: [], entries: 0 }));

  await service.update(id, { scheduled_for: Date.now() + HOUR_MS });

  expect([await page(), await page({ channel_id })]).toEqual(Array(2).fill({ ids: [id], entries: 1 }));
});

it('are found without reading past posts that go out at once', async () => {
  const channels = service.channelIds.map((id) => ({ id }));
  const id = await scheduled();
  for (let n = 0; n < 20; n += 1) await service.create({ caption: 'x', channels, publish_now: true });

  expect(await page()).toEqual({ ids: [id], entries: 1 });
});

it('are no longer read, for any list, once they are surely late and the sweeper came by', async () => {
  const [late, early] = [await scheduled(3 * MINUTE_MS), await scheduled()];
  const [channel_id = ''] = service.channelIds;
  const nowMs = Date.now() + 5 * MINUTE_MS;
  expect(await page({}, nowMs)).toEqual({ ids: [early], entries: 2 });

  await sweepAt(nowMs);

  expect(await page({}, nowMs)).toEqual({ ids: [early], entries: 1 });
  expect(await page({ channel_id }, nowMs)).toEqual({ ids: [early], entries: 1 });
  const [post] = await rowsOfPost(engine.table, service.workspaceId, late);
  expect(post).toMatchObject({ status: 'queued', wake_at: isoAt(nowMs + 45_000) });
});

it('stay listed when the sweeper comes before their time', async () => {
  const id = await scheduled(3 * MINUTE_MS);
  const shortlyBefore = Date.now() + 3 * MINUTE_MS - 10_000;

  await sweepAt(shortlyBefore);

  expect(await page({}, shortlyBefore)).toEqual({ ids: [id], entries: 1 });
});

it('are what their rows say, where an index is a moment behind', async () => {
  const [channel_id = '', other = ''] = service.channelIds;
  const [kept, unscheduled, atOnce, elsewhere] = [
    await scheduled(),
    await scheduled(),
    await scheduled(),
    await scheduled(),
  ];
  await change(unscheduled, { status: 'draft' });
  await change(atOnce, { scheduled_for: null });
  await change(elsewhere, { channel_ids: [other] });

  expect((await page()).ids).toEqual([elsewhere, kept]);
  expect((await page({ channel_id })).ids).toEqual([kept]);
});
