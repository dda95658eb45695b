import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parsedJson, platformClient } from '../../../functions/publishing/platforms/platform-client.ts';
import { guardedRequest } from '../../../functions/shared/outbound/guarded-request.ts';
import type { RequestHandler } from '../../../local/gateway/api.ts';
import { openPlatforms } from '../../../local/platforms/open-platforms.ts';

let handler: RequestHandler;
const server = createServer((request, response) => void handler(request, response));
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/platforms`;
  handler = openPlatforms({ url, file: join(mkdtempSync(join(tmpdir(), 'platforms-')), 'state.json') });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => void (await fetch(`${url}/posts`, { method: 'DELETE' })));

const client = platformClient({ request: guardedRequest, loopback: 'allowed' });
const post = (deadlineMs?: number) =>
  client({
    kind: 'send',
    method: 'POST',
    url: `${url}/facebook/v26.0/100/feed`,
    headers: { authorization: 'Bearer EAA-100-x' },
    body: { form: { message: 'Fresh bread', link: undefined } },
    ...(deadlineMs !== undefined && { deadlineMs }),
  });
const misbehave = (script: object) =>
  fetch(`${url}/behaviour`, { method: 'POST', body: JSON.stringify({ path: 'feed$', ...script }) });
const published = async () => ((await (await fetch(`${url}/posts`)).json()) as unknown[]).length;

describe('the platform client, with a fake platform', () => {
  it('brings an answer with its JSON', async () => {
    expect(await post()).toMatchObject({
      outcome: 'answered',
      status: 200,
      body: { id: expect.any(String) },
    });
    expect(await published()).toBe(1);
  });

  it('calls it ambiguous when the body breaks off after the post was made', async () => {
    await misbehave({ when: 'after', act: 'reset' });

    expect(await post()).toMatchObject({ outcome: 'answered', body: undefined });
    expect(await published()).toBe(1);
  });

  it('gives up on silence at its deadline', async () => {
    await misbehave({ when: 'after', act: 'silence' });

    expect(await post(Date.now() + 300)).toEqual({ outcome: 'ambiguous', code: 'deadline' });
    expect(await published()).toBe(1);
  });

  it('brings refusals and garbage as what they are', async () => {
    await misbehave({ act: 'answer', status: 500, body: { error: { code: 2, message: 'down' } } });
    expect(await post()).toMatchObject({ outcome: 'answered', status: 500, body: { error: { code: 2 } } });
    expect(await published()).toBe(0);

    await misbehave({ when: 'after', act: 'garbage' });
    expect(await post()).toMatchObject({ outcome: 'answered', status: 200, body: undefined });
    expect(await published()).toBe(1);
  });

  it('sends nothing where nobody listens, nor to loopback addresses once deployed', async () => {
    const call = { kind: 'probe', method: 'GET', url: 'http://127.0.0.1:1/' } as const;

    expect(await client(call)).toEqual({ outcome: 'never-sent', code: 'connect_failed' });
    expect(await platformClient({ request: guardedRequest })(call)).toEqual({
      outcome: 'never-sent',
      code: 'blocked',
    });
  });

  it.each([
    [{ path: '(' }, 'body.path must be a regular expression'],
    [{ status: 1 }, 'body.status must be a whole number from 200 to 599'],
    [{ act: 'sulk' }, 'body.act must be one of "answer"'],
    [{ odd: 1 }, 'body.odd is not a known field; remove it'],
    [{ times: 0.5, delay_ms: -1 }, 'body.times must be a whole number from 0 to 1000000'],
  ])('is told what is wrong with a script: %o', async (script, problem) => {
    const response = await misbehave(script);

    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: Error }).error.message).toContain(problem);
    expect(await post()).toMatchObject({ outcome: 'answered', status: 200 });
  });
});

it('keeps integers that are too large for a number as text', () => {
  expect(parsedJson('{"id":7300000000000000001,"n":1.5,"m":-3}')).toEqual({
    id: '7300000000000000001',
    n: 1.5,
    m: -3,
  });
  expect(parsedJson('<html>')).toBeUndefined();
  expect(parsedJson('')).toBeUndefined();
});
