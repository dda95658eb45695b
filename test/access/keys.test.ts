import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { hashSecret, parseApiKey } from '../../functions/access/api-key.ts';
import { type ApiKeyStore, apiKeyStore } from '../../functions/access/api-key-store.ts';
import { authenticate } from '../../functions/access/authenticate.ts';
import { createKey, revokeKey } from '../../functions/access/create-key.ts';
import { newId } from '../../functions/shared/ids.ts';
import { keys } from '../../functions/shared/table/keys.ts';
import { createWorkspace } from '../../functions/workspaces/create-workspace.ts';
import { setPlan } from '../../functions/workspaces/set-plan.ts';
import { type WorkspaceStore, workspaceStore } from '../../functions/workspaces/workspace-store.ts';
import { tableUnderTest } from '../table-under-test.ts';

const NOW = Date.parse('2026-05-01T09:00:20Z');
const MINUTE_MS = 60_000;
const engine = tableUnderTest();
let apiKeys: ApiKeyStore;
let workspaces: WorkspaceStore;
let workspaceId: string;

beforeEach(async () => {
  apiKeys = apiKeyStore(engine.table);
  workspaces = workspaceStore(engine.table);
  workspaceId = (await createWorkspace({ name: 'Bakery' }, { workspaces, clock: () => NOW, newId })).id;
});

const make = (request: Partial<Parameters<typeof createKey>[0]> = {}) =>
  createKey(
    { workspace_id: workspaceId, scopes: ['posts:read'], ...request },
    { apiKeys, workspace: workspaces.find, clock: () => NOW },
  );
const call = (key: string, nowMs = NOW) => authenticate(`Bearer ${key}`, apiKeys, nowMs);
const refusal = (key: string, nowMs = NOW) =>
  call(key, nowMs).then(
    () => expect.unreachable(),
    (error) => error,
  );
const rowOf = async (lookup: string) => {
  const { rows } = await engine.table.query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': keys.apiKey(lookup, '').pk },
  });
  return rows[0];
};

describe('createKey', () => {
  it('makes a key that lets its owner in, into its one workspace', async () => {
    const { api_key, scopes, expires_at } = await make({ scopes: ['posts:read', 'media:read'] });

    expect({ scopes, expires_at }).toEqual({ scopes: ['posts:read', 'media:read'], expires_at: null });
    expect(await call(api_key)).toMatchObject({ workspaceId, scopes: ['posts:read', 'media:read'] });
  });

  it('stores the hash of its secret and nothing else of it, anywhere', async () => {
    const { api_key, lookup } = await make();
    const secret = parseApiKey(api_key)?.secret ?? '';

    const { Items } = await engine.client.send(new ScanCommand({ TableName: engine.tableName }));

    expect(await rowOf(lookup)).toMatchObject({ secret_hash: hashSecret(secret) });
    expect(JSON.stringify(Items)).not.toContain(secret.slice(0, 12));
  });

  it('is refused for a workspace that does not exist', async () => {
    await expect(make({ workspace_id: newId(NOW) })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([NOW, NOW - 1])('is refused with an expiry that is over: %i', async (expires_at) => {
    await expect(make({ expires_at })).rejects.toThrow(/expires_at must be in the future/);
  });

  it('follows the plan of its workspace, unless it has a limit of its own', async () => {
    const [follower, loner] = [await make(), await make({ rate_limit: 7 })];

    const limits = { requests_per_minute: 3 };
    await setPlan({ workspace_id: workspaceId, limits }, { workspaces, apiKeys, clock: () => NOW });

    expect((await call(follower.api_key)).rateHeaders['ratelimit-limit']).toBe('3');
    expect((await call(loner.api_key)).rateHeaders['ratelimit-limit']).toBe('7');
  });

  it('seals the cursors of all keys of a workspace alike, and of two workspaces differently', async () => {
    const [one, two] = [await make(), await make()];
    const other = await createWorkspace({ name: 'Market' }, { workspaces, clock: () => NOW, newId });
    const theirs = await make({ workspace_id: other.id });

    const [first, second, third] = await Promise.all([one, two, theirs].map(({ api_key }) => call(api_key)));

    expect(first?.cursorKey).toBe(second?.cursorKey);
    expect(third?.cursorKey).not.toBe(first?.cursorKey);
  });
});

describe('revokeKey', () => {
  it('locks the key out at once, by itself or its lookup, and keeps the first time', async () => {
    const { api_key, lookup } = await make();

    const first = await revokeKey(api_key, { apiKeys, clock: () => NOW });
    const second = await revokeKey(lookup, { apiKeys, clock: () => NOW + 1000 });

    expect(first).toEqual({ lookup, revoked_at: new Date(NOW).toISOString() });
    expect(second).toEqual(first);
    expect(await refusal(api_key)).toMatchObject({ code: 'unauthorized' });
  });

  it('says so where there is no such key, and makes none', async () => {
    const lookup = 'a'.repeat(17);

    await expect(revokeKey(lookup, { apiKeys, clock: () => NOW })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await rowOf(lookup)).toBeUndefined();
  });

  it('does not repeat a text that may be a key with a typing error', async () => {
    const { api_key } = await make();

    const error = await revokeKey(`${api_key}x`, { apiKeys, clock: () => NOW }).catch(
      (reason: Error) => reason,
    );

    expect(error).toMatchObject({ code: 'invalid_request' });
    expect(JSON.stringify(error)).not.toContain(api_key.slice(0, 20));
  });
});

describe('authenticate', () => {
  it('meets no row with a wrong secret, as with an unknown key: to read one would take longer', async () => {
    const { lookup } = await make();
    const update = vi.spyOn(engine.table, 'update');

    const counted = await apiKeys.count({ lookup, secretHash: hashSecret('wrong'), minute: 1, nowMs: NOW });

    expect(counted).toEqual({ outcome: 'refused' });
    expect(await update.mock.results[0]?.value).toEqual({ outcome: 'refused', current: undefined });
    update.mockRestore();
  });

  it('lets the limit of a minute through, says what is left, and begins anew with the next minute', async () => {
    const { api_key } = await make({ rate_limit: 2 });

    const answers = [(await call(api_key)).rateHeaders, (await call(api_key)).rateHeaders];
    const refused = await refusal(api_key);
    const later = await call(api_key, NOW + MINUTE_MS);

    expect(answers.map((headers) => headers['ratelimit-remaining'])).toEqual(['1', '0']);
    expect(answers[0]).toEqual({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-reset': '40',
    });
    expect(refused).toMatchObject({
      code: 'rate_limited',
      message: 'this key may make 2 requests a minute; wait 40 s and repeat the request',
      headers: {
        'retry-after': '40',
        'ratelimit-limit': '2',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '40',
      },
    });
    expect(later.rateHeaders['ratelimit-remaining']).toBe('1');
  });

  it('lets exactly the limit through, however many come at once', async () => {
    const { api_key } = await make({ rate_limit: 10 });

    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => call(api_key)));

    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it('counts each key by itself', async () => {
    const [one, two] = [await make({ rate_limit: 1 }), await make({ rate_limit: 1 })];

    await call(one.api_key);

    await expect(call(two.api_key)).resolves.toMatchObject({ workspaceId });
  });

  it('ends with the expiry of the key, to the millisecond', async () => {
    const { api_key } = await make({ expires_at: NOW + 5000 });

    await expect(call(api_key, NOW + 4999)).resolves.toMatchObject({ workspaceId });
    expect(await refusal(api_key, NOW + 5000)).toMatchObject({ code: 'unauthorized' });
  });

  it('says of a spent key that is revoked or expired that it is not valid, and not when to come again', async () => {
    const { api_key } = await make({ rate_limit: 1, expires_at: NOW + 5000 });
    await call(api_key);

    expect(await refusal(api_key, NOW + 5000)).toMatchObject({ code: 'unauthorized' });
    await revokeKey(api_key, { apiKeys, clock: () => NOW });
    expect(await refusal(api_key)).toMatchObject({ code: 'unauthorized' });
  });

  it('tells nobody with a wrong secret whether there is such a key, nor spends its limit', async () => {
    const { lookup } = await make({ rate_limit: 1 });
    const guess = { lookup, secretHash: hashSecret('guess'), minute: 1, nowMs: NOW };

    expect(await apiKeys.count(guess)).toEqual({ outcome: 'refused' });
    expect(await apiKeys.count({ ...guess, lookup: 'b'.repeat(17) })).toEqual({ outcome: 'refused' });
    expect(await rowOf(lookup)).toMatchObject({ used: {} });
    expect(await rowOf('b'.repeat(17))).toBeUndefined();
  });

  it('forgets minutes gone by, so that a row does not grow', async () => {
    const { api_key, lookup } = await make();

    for (let minute = 0; minute < 45; minute += 1) await call(api_key, NOW + minute * MINUTE_MS);

    expect(Object.keys((await rowOf(lookup))?.used as object).length).toBeLessThanOrEqual(21);
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Bearer x', 'Bearer a b'])(
    'answers %j like every other key that is not valid',
    async (header) => {
      const { api_key } = await make();
      await revokeKey(api_key, { apiKeys, clock: () => NOW });
      const revoked = await refusal(api_key);

      const error = await authenticate(header, apiKeys, NOW).catch((reason: unknown) => reason);

      expect(error).toEqual(revoked);
      expect(error).toMatchObject({ code: 'unauthorized', headers: { 'www-authenticate': 'Bearer' } });
    },
  );

  it('reads the scheme in any case, with white space around', async () => {
    const { api_key } = await make();

    await expect(authenticate(` bearer  ${api_key} `, apiKeys, NOW)).resolves.toMatchObject({ workspaceId });
  });
});
