import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { newApiKey, parseApiKey } from '../../functions/access/api-key.ts';
import { type Answer, runningService } from './client.ts';
import { withOtherSecret } from './other-secret.ts';
import { newDraft, SAMPLES } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const { call, service } = runningService();
const operator = operatorOf(inject('stateDirectory'));
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace(operator);
});

/** What a client can see of an answer, but for what names the one request. */
const seen = ({ status, headers, text }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !['x-request-id', 'apigw-requestid', 'date'].includes(name)),
});

describe('a key that is not valid', () => {
  it('cannot be told from another: unknown, wrong, revoked, expired, malformed or missing', async () => {
    const revoked = await workspace.newKey();
    await workspace.revoke(revoked);
    const expired = await workspace.newKey({ expiresAtMs: Date.now() + 300 });
    await sleep(400);

    const answers = await Promise.all(
      [newApiKey().apiKey, withOtherSecret(workspace.key), revoked, expired, 'spp_live_x', null].map((key) =>
        call('GET', '/workspaces', { key }),
      ),
    );

    for (const answer of answers) expect(seen(answer)).toEqual(seen(answers[0] as Answer));
    expect(answers[0]).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('stops with the very next request after its revocation', async () => {
    const key = await workspace.newKey();

    expect((await call('GET', '/workspaces', { key })).status).toBe(200);
    await workspace.revoke(key);
    expect((await call('GET', '/workspaces', { key })).status).toBe(401);
  });

  it.each(['Basic abc', 'Bearer', 'Bearer a b', 'spp_live_x', 'bearer'])(
    'is one sent as "%s"',
    async (header) => {
      const { status } = await call('GET', '/workspaces', { key: null, headers: { authorization: header } });

      expect(status).toBe(401);
    },
  );
});

describe('scopes', () => {
  it('are asked for by each endpoint, before anything of the request is looked at', async () => {
    const needed = {
      'POST /posts': 'posts:write',
      'POST /drafts': 'posts:write',
      'PATCH /posts/{id}': 'posts:write',
      'DELETE /posts/{id}': 'posts:write',
      'GET /posts': 'posts:read',
      'GET /posts/{id}': 'posts:read',
      'GET /posts/{id}/attempts': 'posts:read',
      'GET /channels': null,
      'GET /workspaces': null,
    } as const;
    const reader = await workspace.newKey({ scopes: ['posts:read'] });
    const writer = await workspace.newKey({ scopes: ['posts:write'] });
    for (const [name, scope] of Object.entries(needed)) {
      const [method = ''] = name.split(' ');
      const sample = await SAMPLES[name]?.({ workspace, call, edgeUrl: service.edge_url });
      const path = sample?.path ?? '';
      const readerMay = scope !== 'posts:write';
      const writerMay = scope !== 'posts:read';
      const asReader = await call(method, path, {
        key: reader,
        body: readerMay ? undefined : '{',
        idempotencyKey: null,
      });
      const asWriter = await call(method, path, { key: writer, body: sample?.body });

      expect([name, asReader.status]).toEqual([name, readerMay ? 200 : 403]);
      expect([name, asWriter.status < 400]).toEqual([name, writerMay]);
      if (!readerMay)
        expect(asReader.body.error).toMatchObject({
          code: 'forbidden',
          message: expect.stringContaining('posts:write'),
        });
    }
  });
});

describe('the rate limit', () => {
  it('counts every request of a key, and says how it stands', async () => {
    const key = await workspace.newKey({ rateLimit: 5 });
    const answers: Answer[] = [];
    for (let n = 0; n < 7; n += 1) answers.push(await call('GET', '/channels', { key }));

    // Where the minute changed on the way there are fewer refusals, and never more answers than the limit.
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(5);
    for (const { headers, status } of answers) {
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
        Number(headers.get(`ratelimit-${name}`)),
      );
      expect(limit).toBe(5);
      expect(remaining).toBeLessThan(5);
      expect(reset).toBeGreaterThan(0);
      expect(reset).toBeLessThanOrEqual(60);
      if (status === 429) expect(headers.get('retry-after')).toBe(String(reset));
    }
    expect(refused.length).toBeLessThanOrEqual(2);
  });

  it('lets exactly so many through however many come at once', async () => {
    const key = await workspace.newKey({ rateLimit: 10 });
    const startedIn = Math.floor(Date.now() / 60_000);
    const answers = await Promise.all(Array.from({ length: 30 }, () => call('GET', '/channels', { key })));

    const passed = answers.filter(({ status }) => status === 200).length;
    if (Math.floor(Date.now() / 60_000) === startedIn) expect(passed).toBe(10);
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
  });

  it('comes before the checks of the request, and refuses what is wrong with it too', async () => {
    const key = await workspace.newKey({ rateLimit: 1, scopes: ['posts:read'] });
    const ask = () => call('POST', '/posts', { key, body: '{' });

    const statuses = [(await ask()).status, (await ask()).status, (await ask()).status];

    expect(statuses).toContain(429);
    expect(statuses[0]).toBe(403);
  });
});

describe('secrets', () => {
  it('are nowhere at rest, neither in rows nor in logs', async () => {
    const key = await workspace.newKey();
    await newDraft({ workspace: { ...workspace, key }, call });
    await call('GET', `/posts/${randomUUID()}`, { key });
    const secret = parseApiKey(key)?.secret ?? '';
    const stateDirectory = inject('stateDirectory');

    const { Items } = await operator.documents.send(
      new ScanCommand({
        TableName: operator.tableName,
        FilterExpression: 'contains(pk, :workspace) OR workspace_id = :workspace',
        ExpressionAttributeValues: { ':workspace': workspace.id },
      }),
    );
    const logs = readdirSync(join(stateDirectory, 'logs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.log'))
      .map((name) => readFileSync(join(stateDirectory, 'logs', name), 'utf8'));

    expect(Items?.length).toBeGreaterThan(5);
    expect(JSON.stringify(Items)).not.toContain(secret);
    expect(logs.length).toBeGreaterThan(0);
    expect(logs.join('\n')).not.toContain(secret);
  });
});
