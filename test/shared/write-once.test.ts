import { beforeEach, describe, expect, it, vi } from 'vitest';
import { jsonReply } from '../../functions/shared/http/http-handler.ts';
import { idempotentRequest } from '../../functions/shared/idempotency/idempotent-request.ts';
import { type Decision, writeOnce } from '../../functions/shared/idempotency/write-once.ts';
import { newId } from '../../functions/shared/ids.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import type { Effect } from '../../functions/shared/table/effect.ts';
import { keys, nameOf } from '../../functions/shared/table/keys.ts';
import { logger } from '../../functions/shared/telemetry.ts';
import { tableUnderTest } from '../table-under-test.ts';

const NOW = Date.parse('2026-05-01T09:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const engine = tableUnderTest();
let workspaceId: string;
beforeEach(() => {
  workspaceId = newId(NOW);
});

const requestOf = (body: unknown, key = 'key-0001') =>
  idempotentRequest({ workspaceId, key, method: 'POST', path: '/posts', body });

/** Counts up, to at most a limit. */
const counted = (limit = 1000): Effect => ({
  write: {
    Update: {
      Key: keys.usage(workspaceId, 'TEST'),
      UpdateExpression: 'SET used = if_not_exists(used, :none) + :one',
      ConditionExpression: 'attribute_not_exists(used) OR used < :limit',
      ExpressionAttributeValues: { ':none': 0, ':one': 1, ':limit': limit },
    },
  },
  refused: (current) => new RequestError('quota_exceeded', `used ${current?.used}`),
});

/** Holds for no row, as if it had changed since it was read. */
const stale = (): Effect => ({
  write: {
    ConditionCheck: { Key: keys.workspace(workspaceId), ConditionExpression: 'attribute_exists(pk)' },
  },
  refused: () => 'read again',
});

async function count(): Promise<unknown> {
  const key = keys.usage(workspaceId, 'TEST');
  return (await engine.table.get([key])).get(nameOf(key))?.used ?? 0;
}

const write = (
  decide: (nowMs: number) => Decision,
  { body = {}, nowMs = NOW, key = 'key-0001' }: { body?: unknown; nowMs?: number; key?: string } = {},
) =>
  writeOnce({
    table: engine.table,
    clock: () => nowMs,
    request: requestOf(body, key),
    reads: [],
    decide: (_found, now) => decide(now),
  });

let made = 0;
const create = (): Decision => {
  made += 1;
  return { reply: jsonReply(202, { made }), effects: [counted()] };
};

describe('writeOnce', () => {
  it('answers a repetition with the first answer, byte for byte, without deciding anew', async () => {
    const first = await write(create);
    const second = await write(() => expect.unreachable());

    expect(second).toEqual({ ...first, headers: { 'idempotent-replayed': 'true' } });
    expect(await count()).toBe(1);
  });

  it('takes effect once, however many call at once, and all get the one answer', async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, () => write(create)));

    expect(new Set(replies.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(replies.filter(({ headers }) => headers === undefined)).toHaveLength(1);
    expect(await count()).toBe(1);
  });

  it('refuses the key for another request, while the first stands', async () => {
    await write(create);

    await expect(write(create, { body: { other: 1 } })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(await count()).toBe(1);
  });

  it('lets one of many different requests with one key through', async () => {
    const calls = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => write(create, { body: { n } })),
    );

    const refusals = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
    expect(refusals).toHaveLength(19);
    expect(refusals.every(({ code }) => code === 'idempotency_conflict')).toBe(true);
    expect(await count()).toBe(1);
  });

  it('remembers for 24 hours to the millisecond, though the row may stay longer', async () => {
    await write(create);

    expect((await write(create, { nowMs: NOW + DAY_MS - 1 })).headers).toBeDefined();
    expect((await write(create, { nowMs: NOW + DAY_MS })).headers).toBeUndefined();
    expect(await count()).toBe(2);
  });

  it('keeps keys of workspaces apart', async () => {
    await write(create);
    const other = writeOnce({
      table: engine.table,
      clock: () => NOW,
      request: { ...requestOf({}), workspaceId: newId(NOW) },
      reads: [],
      decide: create,
    });

    expect((await other).headers).toBeUndefined();
  });

  it.each([
    ['not_found', 404],
    ['conflict', 409],
    ['unprocessable', 422],
  ] as const)('remembers the refusal %s', async (code, status) => {
    const refuse = vi.fn(() => {
      throw new RequestError(code, 'no');
    });

    const first = await write(refuse);
    const second = await write(create);

    expect(first.status).toBe(status);
    expect(second).toMatchObject({ status, body: first.body, headers: { 'idempotent-replayed': 'true' } });
    expect(await count()).toBe(0);
  });

  it.each(['invalid_request', 'quota_exceeded', 'forbidden', 'rate_limited'] as const)(
    'does not remember the refusal %s, which can heal',
    async (code) => {
      const refuse = () => {
        throw new RequestError(code, 'no');
      };

      await expect(write(refuse)).rejects.toMatchObject({ code });
      expect((await write(create)).headers).toBeUndefined();
    },
  );

  it('takes no effect and remembers nothing when the quota is used up, and heals with it', async () => {
    const limited = (limit: number) => (): Decision => ({
      reply: jsonReply(202, {}),
      effects: [counted(limit)],
    });
    await write(limited(1), { key: 'key-0001' });

    await expect(write(limited(1), { key: 'key-0002' })).rejects.toThrow('used 1');
    expect((await write(limited(2), { key: 'key-0002' })).status).toBe(202);
  });

  it('never goes over the limit, however many ask at once', async () => {
    const limited = (): Decision => ({ reply: jsonReply(202, {}), effects: [counted(5)] });
    const calls = Array.from({ length: 15 }, (_, n) => write(limited, { key: `key-${1000 + n}` }));

    const settled = await Promise.allSettled(calls);

    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await count()).toBe(5);
  });

  it('decides anew on what is there when what it read was stale', async () => {
    let round = 0;

    const reply = await write(() => {
      round += 1;
      return { reply: jsonReply(200, { round }), effects: [round === 1 ? stale() : counted()] };
    });

    expect(reply.body).toBe('{"round":2}');
  });

  it('gives up with 429 when the rows never stand still', async () => {
    const decide = vi.fn((): Decision => ({ reply: jsonReply(200, {}), effects: [stale()] }));

    await expect(write(decide)).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'retry-after': '1' },
    });
    expect(decide).toHaveBeenCalledTimes(6);
  });

  it('remembers an answer longer than a row, and replays all of it', async () => {
    const long = { text: '€uro 😀 '.repeat(120_000) };

    const first = await write(() => ({ reply: jsonReply(202, long), effects: [] }));
    const second = await write(create);

    expect(Buffer.byteLength(first.body)).toBeGreaterThan(3 * 400 * 1024);
    expect(second.body === first.body).toBe(true);
  });

  it('sets going what follows after the commit, once; its failure is not the client’s', async () => {
    const warned = vi.spyOn(logger, 'warn').mockReturnValue();
    const afterCommit = vi.fn(async () => {
      expect(await count()).toBe(1);
      throw new Error('the queue is away');
    });

    const reply = await write(() => ({ ...create(), afterCommit }));
    await write(create);

    expect(reply.status).toBe(202);
    expect(afterCommit).toHaveBeenCalledOnce();
    expect(warned).toHaveBeenCalledOnce();
  });

  it('lets a fault of ours through, and remembers nothing of it', async () => {
    const broken = () => {
      throw new TypeError('a bug');
    };

    await expect(write(broken)).rejects.toThrow(TypeError);
    expect((await write(create)).headers).toBeUndefined();
  });
});
