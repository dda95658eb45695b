import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Caller } from '../../functions/access/authenticate.ts';
import { listAttempts } from '../../functions/publishing/list-attempts.ts';
import { keys } from '../../functions/shared/table/keys.ts';
import type { ServiceTable } from '../../functions/shared/table/service-table.ts';
import { postService } from '../posts/post-service.ts';
import { tableUnderTest } from '../table-under-test.ts';

const engine = tableUnderTest();

/** The attempts of a post, and the calls it took to find them. */
async function attemptsOf(workspaceId: string, id: string) {
  const calls: string[] = [];
  const table: ServiceTable = {
    ...engine.table,
    get: (wanted) => {
      calls.push('get');
      return engine.table.get(wanted);
    },
    query: (input) => {
      calls.push('query');
      return engine.table.query(input);
    },
  };
  const call = { caller: { workspaceId } as Caller, params: { id }, query: undefined, body: undefined };
  return { calls, ...(await listAttempts(call, { table })) };
}

async function draft() {
  const { workspaceId, channelIds, create } = await postService(engine.table);
  const { body } = await create({ caption: 'x', channels: channelIds.map((id) => ({ id })) });
  return { workspaceId, channelIds, id: JSON.parse(body).id };
}

it('are found in one call, since they prove their post', async () => {
  const { workspaceId, channelIds, id } = await draft();
  const attempt = {
    ...{ channel_id: channelIds[0], n: 1, at: new Date().toISOString(), stage: 'send' },
    ...{ result: 'posted', code: null, message: null, next_attempt_at: null },
  };
  const Item = { ...keys.attempt(workspaceId, id, channelIds[0] ?? '', 1), ...attempt };
  await engine.table.commit([{ Put: { Item } }]);

  expect(await attemptsOf(workspaceId, id)).toEqual({ calls: ['query'], data: [attempt] });
});

it('are none for a post that has not gone out, which is looked for then', async () => {
  const { workspaceId, id } = await draft();

  expect(await attemptsOf(workspaceId, id)).toEqual({ calls: ['query', 'get'], data: [] });
});

it('are not there for what is no post of the workspace', async () => {
  const [{ workspaceId }, other] = [await draft(), await draft()];

  for (const id of [other.id, randomUUID(), 'x', `${other.id}#TARGET#`]) {
    await expect(attemptsOf(workspaceId, id)).rejects.toMatchObject({ code: 'not_found' });
  }
});
