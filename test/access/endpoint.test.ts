import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newApiKey } from '../../functions/access/api-key.ts';
import type { ApiKeyStore } from '../../functions/access/api-key-store.ts';
import { readEndpoint, writeEndpoint } from '../../functions/access/endpoint.ts';
import { jsonReply } from '../../functions/shared/http/http-handler.ts';
import { defineOperation } from '../../functions/shared/http/operation.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import { strictObject } from '../../functions/shared/strict-object.ts';
import { logger, metrics } from '../../functions/shared/telemetry.ts';
import { answerOf, type Sent } from '../http-event.ts';

vi.spyOn(logger, 'info').mockReturnValue();
vi.spyOn(logger, 'error').mockReturnValue();
vi.spyOn(metrics, 'publishStoredMetrics').mockReturnValue(metrics);

const NOW = Date.parse('2026-05-01T09:00:00Z');
const { apiKey } = newApiKey();
const count = vi.fn<ApiKeyStore['count']>();
const door = { apiKeys: { count } as unknown as ApiKeyStore, clock: () => NOW };
const run = vi.fn();

const describing = {
  tag: '',
  summary: '',
  description: '',
  refusals: [],
  success: { status: 200, description: '', schema: v.any() },
} as const;
const read = defineOperation({
  ...describing,
  id: 'read',
  method: 'GET',
  path: '/x/{id}',
  scope: 'posts:read',
  idempotent: false,
  params: v.object({ id: v.pipe(v.string(), v.toLowerCase()) }),
  query: v.object({ kind: v.optional(v.picklist(['image', 'video'])) }),
});
const write = defineOperation({
  ...describing,
  id: 'write',
  method: 'POST',
  path: '/x',
  scope: 'posts:write',
  idempotent: true,
  body: strictObject({ caption: v.string() }),
});

const granted = (...scopes: ('posts:read' | 'posts:write')[]) =>
  count.mockResolvedValue({
    outcome: 'counted',
    used: 1,
    key: {
      lookup: '',
      workspace_id: 'ws-1',
      secret_hash: '',
      scopes,
      rate_limit: 5,
      cursor_key: 'key',
      used: {},
    },
  });
const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': 'key-0001' };
const rateHeaders = { 'ratelimit-limit': '5', 'ratelimit-remaining': '4', 'ratelimit-reset': '60' };
const reading = (sent: Sent = {}) =>
  answerOf(readEndpoint(read, door, run), { path: '/x/AB', params: { id: 'AB' }, headers, ...sent });
const writing = (sent: Sent = {}) =>
  answerOf(writeEndpoint(write, door, run), { method: 'POST', headers, body: '{"caption":"Hi"}', ...sent });

beforeEach(() => {
  count.mockReset();
  granted('posts:read', 'posts:write');
  run.mockReset().mockResolvedValue(jsonReply(202, { ok: true }));
});

describe('readEndpoint', () => {
  it('hands the use case who calls and what was validated, and answers what it returns', async () => {
    run.mockResolvedValue({ data: [] });

    const answer = await reading({ query: 'kind=image' });

    expect(answer).toMatchObject({ status: 200, text: '{"data":[]}', headers: rateHeaders });
    expect(run.mock.calls[0]?.[0]).toMatchObject({
      caller: { workspaceId: 'ws-1', cursorKey: 'key' },
      params: { id: 'ab' },
      query: { kind: 'image' },
    });
  });

  it('refuses a query that does not fit', async () => {
    expect((await reading({ query: 'kind=audio' })).json.error).toMatchObject({
      code: 'invalid_request',
      message: 'query.kind must be one of "image", "video"',
    });
  });
});

describe('the query', () => {
  it.each([
    ['knid=image', 'query.knid', 'is not a parameter of GET /x/{id}, which takes kind; remove it'],
    ['Kind=image', 'query.Kind', 'is not a parameter of GET /x/{id}, which takes kind; remove it'],
    ['kind[]=image', 'query.kind[]', 'is not a parameter of GET /x/{id}, which takes kind; remove it'],
    ['__proto__=1', 'query.__proto__', 'is not a parameter of GET /x/{id}, which takes kind; remove it'],
    ['=1', 'query.', 'is not a parameter of GET /x/{id}, which takes kind; remove it'],
    ['kind=image&kind=video', 'query.kind', 'is sent 2 times; send it once'],
    ['kind=image&%6bind=image', 'query.kind', 'is sent 2 times; send it once'],
  ])('%s is refused', async (query, path, message) => {
    const { status, json } = await reading({ query });

    expect(status).toBe(400);
    expect(json.error).toEqual({
      code: 'invalid_request',
      message: `${path} ${message}`,
      details: { issues: [{ path, message }] },
    });
    expect(run).not.toHaveBeenCalled();
  });

  it('lists all parameters that are wrong, with names of a length to be read', async () => {
    const { json } = await reading({ query: `a=1&kind=image&kind=image&${'x'.repeat(5000)}=1` });

    expect(json.error.details.issues.map(({ path }: { path: string }) => path)).toEqual([
      'query.a',
      'query.kind',
      `query.${'x'.repeat(60)}…`,
    ]);
  });

  it('of an endpoint without parameters must be empty, of a write too', async () => {
    const { status, json } = await writing({ query: 'dry_run=true' });

    expect(status).toBe(400);
    expect(json.error.message).toBe(
      'query.dry_run is not a parameter of POST /x, which takes none; remove it',
    );
    expect((await writing({ query: '&' })).status).toBe(202);
  });
});

describe('writeEndpoint', () => {
  it('hands the use case its request’s name, and answers exactly what it replies', async () => {
    run.mockResolvedValue({ status: 202, body: '{"a":1.0}', headers: { 'idempotent-replayed': 'true' } });

    const answer = await writing();

    expect(answer).toMatchObject({ status: 202, text: '{"a":1.0}' });
    expect(answer.headers).toMatchObject({ ...rateHeaders, 'idempotent-replayed': 'true' });
    expect(run.mock.calls[0]?.[0]).toMatchObject({
      body: { caption: 'Hi' },
      request: { workspaceId: 'ws-1', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  it('names two requests alike exactly if key, path and body are alike', async () => {
    await writing();
    await writing({ body: '{ "caption" : "H\\u0069" }' });
    await writing({ body: '{"caption":"Ho"}' });
    await writing({ headers: { ...headers, 'idempotency-key': 'key-0002' } });

    const [first, again, other, key] = run.mock.calls.map(([call]) => call.request);
    expect(again).toEqual(first);
    expect(other.fingerprint).not.toBe(first.fingerprint);
    expect(key.hashedKey).not.toBe(first.hashedKey);
  });

  it('takes a body whose encoding says that there is none', async () => {
    expect((await writing({ headers: { ...headers, 'content-encoding': 'Identity' } })).status).toBe(202);
  });

  it.each([
    ['a body that is no JSON', { body: '{' }, 400, 'acceptable JSON'],
    ['no body', { body: undefined }, 400, 'body is empty; send a JSON object'],
    ['an array', { body: '[]' }, 400, 'body must be an object'],
    [
      'a compressed body',
      { headers: { ...headers, 'content-encoding': 'gzip' } },
      400,
      'header.Content-Encoding must be left out',
    ],
    ['bytes that are no UTF-8', { body: new Uint8Array([0xff]) }, 400, 'not text in UTF-8'],
    ['an unknown field', { body: '{"caption":"","x":1}' }, 400, 'body.x is not a known field'],
    [
      'no Idempotency-Key',
      { headers: { authorization: headers.authorization } },
      400,
      'Idempotency-Key is missing',
    ],
    ['a body over 5 MB', { body: `{"caption":"${'x'.repeat(5 * 1024 * 1024)}"}` }, 413, 'upload-url'],
  ])('refuses %s, with the rate limit on the answer', async (_, sent, status, message) => {
    const answer = await writing(sent);

    expect(answer).toMatchObject({ status, headers: rateHeaders });
    expect(answer.json.error.message).toContain(message);
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    [new RequestError('unprocessable', 'no'), 422],
    [new TypeError('a bug'), 500],
  ])('puts the rate limit on the answer to %s too', async (error, status) => {
    run.mockRejectedValue(error);

    expect(await writing()).toMatchObject({ status, headers: rateHeaders });
  });
});

describe('the order of checks', () => {
  const wrong = { headers: { authorization: headers.authorization }, body: '{' };

  it('is 401 before all else, and without a key nothing is looked up', async () => {
    const answer = await writing({ ...wrong, headers: {} });

    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(answer.headers).not.toHaveProperty('ratelimit-limit');
    expect(count).not.toHaveBeenCalled();
  });

  it('is 429 before 403', async () => {
    count.mockResolvedValue({ outcome: 'exhausted', limit: 5 });

    expect(await writing(wrong)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60', 'ratelimit-remaining': '0' },
    });
  });

  it('is 403 before the Idempotency-Key', async () => {
    granted('posts:read');

    const answer = await writing(wrong);

    expect(answer).toMatchObject({ status: 403, headers: rateHeaders });
    expect(answer.json.error).toEqual({
      code: 'forbidden',
      message: 'this key lacks the scope posts:write; use a key that has it',
    });
  });

  it('is the Idempotency-Key before the size, and the size before the syntax', async () => {
    const large = 'x'.repeat(5 * 1024 * 1024 + 1);

    expect((await writing({ ...wrong, body: large })).status).toBe(400);
    expect((await writing({ body: large })).status).toBe(413);
  });

  it('needs no scope where any valid key will do', async () => {
    granted();

    const open = readEndpoint({ ...read, scope: 'none' }, door, run);

    expect((await answerOf(open, { params: { id: '1' }, headers })).status).toBe(200);
  });
});
