import { connect } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invocation } from '../../local/functions/invocation.ts';
import { apiHandler } from '../../local/gateway/api.ts';
import { type Gateway, listen } from '../../local/gateway.ts';

const ROUTES = [
  { method: 'GET', path: '/api/v1/posts', functionId: 'list' },
  { method: 'GET', path: '/api/v1/posts/{id}', functionId: 'get' },
  { method: 'GET', path: '/api/v1/posts/newest', functionId: 'newest' },
  { method: 'POST', path: '/api/v1/posts', functionId: 'create' },
  { method: 'ANY', path: '$default', functionId: 'unknown' },
];

let gateway: Gateway;
let origin: string;
let invoked: { functionId: string; event: APIGatewayProxyEventV2 } | undefined;
let outcome: (requestId: string) => Promise<Invocation>;

const answering =
  (answer: unknown) =>
  async (requestId: string): Promise<Invocation> => ({
    outcome: 'answered',
    requestId,
    payload: JSON.stringify(answer),
  });

beforeAll(async () => {
  gateway = await listen(0);
  origin = `http://localhost:${gateway.port}`;
  const runtime = {
    maxInstancesOf: () => 1,
    kill: () => {},
    stop: async () => {},
    invoke: async (functionId: string, event: string, requestId = '') => {
      invoked = { functionId, event: JSON.parse(event) };
      return outcome(requestId);
    },
  };
  expect((await fetch(origin)).status).toBe(503);
  gateway.open({ '/api/': apiHandler({ routes: ROUTES, runtime, integrationTimeoutMs: 200 }) });
});
afterAll(() => gateway.close());

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  invoked = undefined;
  return fetch(`${origin}${path}`, init);
}

describe('the HTTP API in front of functions', () => {
  it('hands over an event of payload format 2.0', async () => {
    outcome = answering({ statusCode: 200, body: '{}' });
    await call('/api/v1/posts/a%20b?x=1&x=2&y=%zz', {
      headers: [
        ['X-Thing', 'one'],
        ['X-Thing', 'two'],
        ['Cookie', 'a=1; b=2'],
      ],
    });

    expect(invoked?.functionId).toBe('get');
    expect(invoked?.event).toMatchObject({
      version: '2.0',
      routeKey: 'GET /api/v1/posts/{id}',
      rawPath: '/api/v1/posts/a%20b',
      rawQueryString: 'x=1&x=2&y=%zz',
      queryStringParameters: { x: '1,2' },
      pathParameters: { id: 'a b' },
      cookies: ['a=1', 'b=2'],
      isBase64Encoded: false,
    });
    expect(invoked?.event.headers['x-thing']).toMatch(/^one, ?two$/);
    expect(invoked?.event.requestContext.http).toMatchObject({ method: 'GET', path: '/api/v1/posts/a%20b' });
  });

  it.each([
    ['/api/v1/posts/newest', 'newest', {}],
    ['/api/v1/posts/%E0%A4%A', 'get', { id: '%E0%A4%A' }],
    ['/api/v1/posts/', 'unknown', undefined],
    ['/api/v1/nothing', 'unknown', undefined],
  ])('matches %s to %s', async (path, functionId, pathParameters) => {
    outcome = answering({ statusCode: 200 });
    await call(path);

    expect(invoked?.functionId).toBe(functionId);
    expect(invoked?.event.pathParameters ?? undefined).toEqual(
      pathParameters && Object.keys(pathParameters).length > 0 ? pathParameters : undefined,
    );
  });

  it('passes text as text and other bytes as base64', async () => {
    outcome = answering({ statusCode: 200 });
    await call('/api/v1/posts', {
      method: 'POST',
      body: '{"ü":1}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(invoked?.event).toMatchObject({ body: '{"ü":1}', isBase64Encoded: false });

    await call('/api/v1/posts', {
      method: 'POST',
      body: Buffer.from([0xff, 0]),
      headers: { 'content-type': 'image/png' },
    });
    expect(invoked?.event).toMatchObject({ body: '/wA=', isBase64Encoded: true });
  });

  it('sends what the function answers: status, headers, cookies, base64', async () => {
    outcome = answering({
      statusCode: 201,
      headers: { 'x-number': 7, connection: 'close' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from([1, 2, 255]).toString('base64'),
      isBase64Encoded: true,
    });
    const response = await call('/api/v1/posts');

    expect(response.status).toBe(201);
    expect(response.headers.get('x-number')).toBe('7');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([1, 2, 255]));
  });

  it.each<[string, (requestId: string) => Promise<Invocation>, number, string]>([
    ['throws', async (requestId) => ({ outcome: 'failed', requestId, error: 'x' }), 500, 'internal_error'],
    ['crashes', async (requestId) => ({ outcome: 'crashed', requestId, error: 'x' }), 503, 'unavailable'],
    ['hangs', () => new Promise(() => {}), 503, 'unavailable'],
    ['talks nonsense', answering({ statusCode: 'many' }), 500, 'internal_error'],
  ])('answers in the envelope when the function %s', async (_, ending, status, code) => {
    outcome = ending;
    const response = await call('/api/v1/posts');

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code, message: expect.any(String) } });
  });

  it.each([
    ['10 MB of body', 10 * 1024 * 1024 + 1],
    ["Lambda's 6 MB of event", 4.6 * 1024 * 1024],
  ])('refuses more than %s with 413, and goes on', async (_, sizeBytes) => {
    const body = Buffer.alloc(sizeBytes);
    const headers = { 'content-type': 'application/octet-stream' };
    const response = await call('/api/v1/posts', { method: 'POST', body, headers });

    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'payload_too_large' } });
    expect(invoked).toBeUndefined();
  });

  it('answers what is no HTTP in the envelope too', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write('nonsense\r\n\r\n');
    const answer = (await socket.toArray()).join('');

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"invalid_request"');
  });

  it('says in one line that its port is taken', async () => {
    await expect(listen(gateway.port)).rejects.toThrow(`port ${gateway.port} is taken`);
  });
});
