import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { rowsOfPost } from '../../functions/posts/post-store.ts';
import { HOUR_MS } from '../../functions/shared/clock.ts';
import type { ServiceTable } from '../../functions/shared/table/service-table.ts';
import type { Through } from '../crashing-calls.ts';
import { tableUnderTest } from '../table-under-test.ts';
import { postService } from './post-service.ts';

const engine = tableUnderTest();

/** Lets a port through if it is the table, changed so; all others as they are. */
const onTable =
  (change: (table: ServiceTable) => Partial<ServiceTable>): Through =>
  (port) =>
    'commit' in port ? { ...port, ...change(engine.table) } : port;

/** Notes the calls to DynamoDB. */
function noting(calls: string[]): Through {
  return onTable((table) => ({
    get: (wanted) => {
      if (wanted.length > 0) calls.push('get');
      return table.get(wanted);
    },
    query: (input) => {
      calls.push('query');
      return table.query(input);
    },
    commit: (writes) => {
      calls.push('commit');
      return table.commit(writes);
    },
  }));
}

/** Has something happen between the first read of a request and the next call after it. */
function afterFirstRead(happens: () => Promise<unknown>): Through {
  let reads = 0;
  return onTable((table) => ({
    get: async (wanted) => {
      reads += 1;
      if (reads === 2) await happens();
      return table.get(wanted);
    },
  }));
}

const idOf = ({ body }: { body: string }): string => JSON.parse(body).id;
const targetsOf = (ids: readonly string[], more: object = {}) => ids.map((id) => ({ id, ...more }));

describe('the calls of', () => {
  it('an edit are two reads and a commit, of its repetition one read', async () => {
    const { create, update, channelIds } = await postService(engine.table, { channels: 3 });
    const id = idOf(await create({ caption: 'Hello', channels: targetsOf(channelIds) }));
    const [first, second]: [string[], string[]] = [[], []];
    const key = randomUUID();

    const edited = await update(id, { publish_now: true }, key, noting(first));
    const repeated = await update(id, { publish_now: true }, key, noting(second));

    expect(first).toEqual(['get', 'get', 'commit']);
    expect(second).toEqual(['get']);
    expect(repeated).toEqual({ ...edited, headers: { 'idempotent-replayed': 'true' } });
  });

  it.each(['a draft', 'a queued post'])(
    'the removal of %s are a read and a commit, of its repetition one read',
    async (kind) => {
      const { create, remove, find, channelIds } = await postService(engine.table, { channels: 3 });
      const time = kind === 'a draft' ? {} : { scheduled_for: Date.now() + HOUR_MS };
      const id = idOf(await create({ caption: 'Hello', channels: targetsOf(channelIds), ...time }));
      const [first, second]: [string[], string[]] = [[], []];
      const key = randomUUID();

      const removed = await remove(id, key, noting(first));
      const repeated = await remove(id, key, noting(second));

      expect(first).toEqual(['get', 'commit']);
      expect(second).toEqual(['get']);
      expect(repeated.body).toBe(removed.body);
      const left = await find(id);
      expect([left?.post.status, left?.targets.length]).toEqual(
        kind === 'a draft' ? [undefined, undefined] : ['draft', 3],
      );
    },
  );
});

describe('an edit that meets another between its reads', () => {
  const long = 'x'.repeat(4000);

  it('is refused for nothing that never was: a caption of before, on a channel of after', async () => {
    const { create, update, channelIds } = await postService(engine.table, { platform: 'linkedin_personal' });
    const short = targetsOf(channelIds, { caption: 'short' });
    const id = idOf(await create({ caption: long, channels: short }));
    const other = () => update(id, { caption: 'short', channels: targetsOf(channelIds) });

    const published = await update(id, { publish_now: true }, randomUUID(), afterFirstRead(other));

    expect([published.status, JSON.parse(published.body).caption]).toEqual([200, 'short']);
  });

  it('is still refused for what is so', async () => {
    const { create, update, channelIds } = await postService(engine.table, { platform: 'linkedin_personal' });
    const id = idOf(await create({ caption: long, channels: targetsOf(channelIds) }));
    const other = () => update(id, { caption: `${long}!` });

    const refused = await update(id, { publish_now: true }, randomUUID(), afterFirstRead(other));

    expect(refused.status).toBe(422);
  });

  it('leaves no target that the other has put there', async () => {
    const { workspaceId, create, update, find, newChannel, channelIds } = await postService(engine.table);
    const id = idOf(await create({ caption: 'Hello', channels: targetsOf(channelIds) }));
    const [theirs, ours] = await Promise.all([newChannel(), newChannel()]);
    const other = () => update(id, { channels: targetsOf([theirs]) });

    await update(id, { channels: targetsOf([ours]) }, randomUUID(), afterFirstRead(other));

    expect((await find(id))?.targets.map(({ channel_id }) => channel_id)).toEqual([ours]);
    expect(await rowsOfPost(engine.table, workspaceId, id)).toHaveLength(2);
  });
});

describe('the largest edit', () => {
  const letters = (count: number) => '😀'.repeat(count);
  const largest = (ids: readonly string[]) => ({
    caption: letters(5000),
    channels: targetsOf(ids, {
      ...{ caption: letters(5000), title: letters(500), description: letters(5000) },
      options: {
        ...{ share_to_story: true, video_title: letters(255) },
        image_alt_texts: Array(10).fill(letters(1000)),
      },
    }),
  });

  it('replaces 25 of the largest targets by 25 others and loses nothing', async () => {
    const { create, update, find, channelIds } = await postService(engine.table, { channels: 50 });
    const id = idOf(await create(largest(channelIds.slice(0, 25))));

    const edited = await update(id, largest(channelIds.slice(25)));

    expect(edited.status).toBe(200);
    const whole = await find(id);
    expect(whole?.targets.map(({ channel_id }) => channel_id)).toEqual(channelIds.slice(25));
    expect(whole?.targets.every(({ caption }) => caption === letters(5000))).toBe(true);
  });
});
