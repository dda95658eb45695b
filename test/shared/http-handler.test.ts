import { beforeEach, describe, expect, it, vi } from 'vitest';
import { httpHandler, jsonReply } from '../../functions/shared/http/http-handler.ts';
import { readRequest } from '../../functions/shared/http/http-request.ts';
import { invalidRequest } from '../../functions/shared/http/invalid-request.ts';
import { readJson } from '../../functions/shared/http/read-json.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import { logger, metrics } from '../../functions/shared/telemetry.ts';
import { answerOf, httpEvent } from '../http-event.ts';

const info = vi.spyOn(logger, 'info').mockReturnValue();
const written = vi
  .spyOn(logger['console' as keyof typeof logger] as unknown as Console, 'error')
  .mockReturnValue();
const published = vi.spyOn(metrics, 'publishStoredMetrics').mockReturnValue(metrics);
beforeEach(() => vi.clearAllMocks());

describe('httpHandler', () => {
  it('answers what it was told to, with headers that let nobody keep or misread it', async () => {
    const handler = httpHandler(async () => ({
      ...jsonReply(202, { a: 'é' }),
      headers: { 'ratelimit-limit': '5' },
    }));

    const answer = await answerOf(handler, {});

    expect(answer).toMatchObject({ status: 202, text: '{"a":"é"}' });
    expect(answer.headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'request-1',
      'ratelimit-limit': '5',
    });
  });

  it('answers a refusal in the one envelope, with its headers', async () => {
    const handler = httpHandler(async () => {
      throw new RequestError('quota_exceeded', 'all used', {
        details: { limit: 3 },
        headers: { 'retry-after': '9' },
      });
    });

    const answer = await answerOf(handler, {});

    expect(answer).toMatchObject({
      status: 402,
      headers: { 'retry-after': '9', 'x-request-id': 'request-1' },
    });
    expect(answer.json).toEqual({
      error: { code: 'quota_exceeded', message: 'all used', details: { limit: 3 } },
    });
  });

  it('leaves details out where there are none', async () => {
    const handler = httpHandler(async () => Promise.reject(new RequestError('not_found', 'no')));

    expect((await answerOf(handler, {})).json).toEqual({ error: { code: 'not_found', message: 'no' } });
  });

  it('says of a fault of ours nothing but the request, and logs its place', async () => {
    const handler = httpHandler(async () => Promise.reject(new TypeError('SECRET table')));

    const answer = await answerOf(handler, {});

    expect(answer.status).toBe(500);
    expect(answer.json.error).toMatchObject({
      code: 'internal_error',
      message: expect.stringContaining('request-1'),
    });
    expect(answer.text).not.toContain('SECRET');
    expect(written.mock.calls.join()).toContain('http-handler.test.ts');
    expect(published).toHaveBeenCalledOnce();
  });

  it('logs one line per request, with its route and not what it holds', async () => {
    await answerOf(
      httpHandler(async () => jsonReply(200, { caption: 'SECRET' })),
      {
        path: '/posts/SECRET',
        params: { id: 'SECRET' },
        query: 'cursor=SECRET',
        headers: { authorization: 'Bearer SECRET' },
        body: 'SECRET',
      },
    );

    expect(info).toHaveBeenCalledExactlyOnceWith(
      'request answered',
      expect.objectContaining({ status: 200 }),
    );
    expect(JSON.stringify(info.mock.calls[0]?.[1])).not.toContain('SECRET');
  });
});

describe('readRequest', () => {
  it('reads path, parameters and query', () => {
    const request = readRequest(
      httpEvent({
        method: 'PATCH',
        path: '/posts/1',
        params: { id: '1' },
        query: 'a=1&b=%2B+x',
        headers: { 'x-y': 'z' },
      }),
    );

    expect(request).toMatchObject({
      id: 'request-1',
      method: 'PATCH',
      path: '/posts/1',
      params: { id: '1' },
    });
    expect(Object.fromEntries(request.query)).toEqual({ a: '1', b: '+ x' });
    expect(request.header('x-y')).toBe('z');
    expect(request.header('x-z')).toBeUndefined();
  });

  it.each([
    ['application/json', 'application/json'],
    ['Application/JSON; charset=UTF-8', 'application/json'],
    ['multipart/form-data; boundary=x', 'multipart/form-data'],
    ['', ''],
  ])('reads the content type %j as %j', (contentType, read) => {
    expect(readRequest(httpEvent({ headers: { 'content-type': contentType } })).contentType).toBe(read);
  });

  it('reads bodies of text and of bytes', () => {
    expect(readRequest(httpEvent({ body: 'é' })).body()).toEqual(Buffer.from([0xc3, 0xa9]));
    expect(readRequest(httpEvent({ body: new Uint8Array([0xff, 0]) })).body()).toEqual(
      Buffer.from([0xff, 0]),
    );
    expect(readRequest(httpEvent({})).body()).toHaveLength(0);
  });
});

describe('readJson', () => {
  const read = (body: string | Uint8Array, contentType = 'application/json', takesForm = false) =>
    readJson(Buffer.from(body), { contentType, takesForm });
  const WANTED = 'send a JSON object with Content-Type: application/json';

  it.each(['application/json', 'application/vnd.api+json', 'text/plain', 'multipart/form-data', 'lies', ''])(
    'reads what is JSON in UTF-8, sent as %j',
    (contentType) => {
      expect(read('{"a":"😀"}', contentType)).toEqual({ a: '😀' });
    },
  );

  it.each([[[0xff]], [[0xc0, 0x80]], [[0xed, 0xa0, 0x80]], [[0xf0, 0x9f, 0x98]], [[0x1f, 0x8b, 8]]])(
    'refuses the bytes %j',
    (bytes) => {
      expect(() => read(new Uint8Array(bytes))).toThrow(
        invalidRequest({ path: 'body', message: `is not text in UTF-8, uncompressed; ${WANTED}` }),
      );
    },
  );

  it.each(['', ' \r\n'])('says that %j is empty, and what to send', (body) => {
    expect(() => read(body, '', true)).toThrow(
      invalidRequest({
        path: 'body',
        message: `is empty; ${WANTED}, or multipart/form-data with a part "file"`,
      }),
    );
  });

  it('says where JSON goes wrong, and as what it came if that was not JSON', () => {
    expect(() => read('{"a":1,}')).toThrow(
      /^body is not acceptable JSON: .* position 7 \(line 1 column 8\)$/,
    );
    expect(() => read('a=1', 'application/x-www-form-urlencoded')).toThrow(
      `is not valid JSON; it came as application/x-www-form-urlencoded: ${WANTED}`,
    );
    expect(() => read('a=1', '')).toThrow(`it came without a Content-Type: ${WANTED}`);
    expect(() => read('a=1', 'x'.repeat(9999))).toThrow(`it came as ${'x'.repeat(60)}…: ${WANTED}`);
  });

  it('says in details too that it is the body', () => {
    expect(() => read('{"a":1,"a":2}')).toThrow(
      expect.objectContaining({
        details: {
          issues: [
            {
              path: 'body',
              message: 'is not acceptable JSON: the key "a" appears twice in one object',
            },
          ],
        },
      }),
    );
  });
});
