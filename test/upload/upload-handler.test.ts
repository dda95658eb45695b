import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { uploadHandler } from '../../upload/upload-handler.ts';
import { image } from '../media/samples.ts';

type Answer = readonly [status: number, body: object, headers?: Record<string, string>];

interface World {
  /** What the API answers, by path. */
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly storage?: number;
}

const CREATED = { id: 'the media' };

async function listening(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A gateway between a client and an API of the test's own, which remembers what it was asked. */
async function gateway({ answers = {}, storage = 200 }: World = {}) {
  const asked: { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = [];
  const put: { key: string; length: string | undefined; type: string | undefined; bytes: Buffer }[] = [];
  const store = await listening(async (request, response) => {
    const bytes = await buffer(request).catch(() => undefined);
    const { 'content-length': length, 'content-type': type } = request.headers;
    if (bytes) put.push({ key: request.url ?? '', length, type, bytes });
    response.writeHead(storage).end();
  });
  let uploads = 0;
  const api = await listening(async (request, response) => {
    const body = JSON.parse((await buffer(request)).toString() || '{}');
    asked.push({ path: request.url ?? '', headers: request.headers, body });
    const upload = [200, { upload_url: `${store}/${uploads++}`, key: `key-${uploads}` }] as const;
    const known: Record<string, Answer> = {
      '/workspaces': [200, {}],
      '/media/upload-url': upload,
      '/media': [201, CREATED],
    };
    const [status, answer, headers = {}] = answers[request.url ?? ''] ??
      known[request.url ?? ''] ?? [404, {}];
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(answer));
  });
  const handle = uploadHandler({ apiUrl: api });
  const url = await listening((request, response) => void handle(request, response));
  return { url, asked, put };
}

const BOUNDARY = 'xYzZy';

function form(
  file: Buffer,
  { end = `--${BOUNDARY}--\r\n`, name = 'file', type = 'image/jpeg' } = {},
): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="crumb.jpg"\r\nContent-Type: ${type}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n${end}`)]);
}

/** Sends a form, chunk by chunk where no length is told. */
async function send(
  url: string,
  body: Buffer,
  { boundary = BOUNDARY, isOpenEnded = false, headers: more = {} } = {},
) {
  const headers = {
    authorization: 'Bearer the key',
    'idempotency-key': 'once-and-for-all',
    'content-type': `multipart/form-data; boundary=${boundary}`,
    ...(!isOpenEnded && { 'content-length': body.length }),
    ...more,
  };
  const request = httpRequest(url, { method: 'POST', headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    request.on('response', resolve).on('error', reject),
  );
  for (let at = 0; at < body.length; at += 30_000) request.write(body.subarray(at, at + 30_000));
  request.end();
  const response = await answered;
  return {
    status: response.statusCode,
    headers: response.headers,
    body: JSON.parse((await buffer(response)).toString()),
  };
}

const picture = () => image('jpeg', { width: 800, height: 700 });

describe('the upload gateway', () => {
  it('stores a form’s file as its caller, and has it registered under the caller’s own keys', async () => {
    const { url, asked, put } = await gateway();
    const file = await picture();

    const answer = await send(url, form(file));

    expect(answer).toMatchObject({ status: 201, body: CREATED });
    expect(put).toEqual([{ key: '/0', length: String(file.length), type: 'image/jpeg', bytes: file }]);
    const [sign, register] = asked;
    expect(sign).toMatchObject({
      path: '/media/upload-url',
      body: { filename: 'crumb.jpg', content_type: 'image/jpeg', size: file.length },
    });
    expect(register).toMatchObject({ path: '/media', body: { key: 'key-1' } });
    for (const { headers } of asked) {
      expect(headers).toMatchObject({
        authorization: 'Bearer the key',
        'idempotency-key': 'once-and-for-all',
      });
    }
  });

  it.each([
    ['compressed', '', { 'content-encoding': 'gzip' }, 'header.Content-Encoding must be left out'],
    ['with a parameter', '?kind=image', {}, 'query.kind is not a parameter of POST /media'],
  ])('refuses a form %s as the API would, and stores nothing', async (_, query, headers, message) => {
    const { url, put } = await gateway();

    const { status, body } = await send(url + query, form(await picture()), { headers });

    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
    expect(put).toEqual([]);
  });

  it('says of two forms with the same file that they are one, whatever stands between their parts', async () => {
    const { url, asked } = await gateway();
    const file = await picture();
    const other = Buffer.from(form(file).toString('latin1').replaceAll(BOUNDARY, 'anOtherOne'), 'latin1');

    await send(url, form(file));
    await send(url, other, { boundary: 'anOtherOne' });
    await send(url, form(Buffer.concat([file, Buffer.from(' ')])));

    const [one, two, three] = asked
      .filter(({ path }) => path === '/media')
      .map(({ headers }) => headers['x-form-digest']);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(two).toBe(one);
    expect(three).not.toBe(one);
  });

  it.each([
    ['ends without a last line break', { end: `--${BOUNDARY}--` }, false],
    ['has an epilogue', { end: `--${BOUNDARY}--\r\nso long` }, false],
    ['does not tell its length', {}, true],
  ])('stores the whole file when the form %s', async (_, shape, isOpenEnded) => {
    const { url, put } = await gateway();
    const file = await picture();

    const answer = await send(url, form(file, shape), { isOpenEnded });

    expect(answer.status).toBe(201);
    expect(put.at(-1)?.bytes.equals(file)).toBe(true);
  });

  it('judges a file by its bytes when its part names no type', async () => {
    const { url, put } = await gateway();
    const file = await picture();
    const untyped = Buffer.from(
      form(file).toString('latin1').replace('\r\nContent-Type: image/jpeg', ''),
      'latin1',
    );

    const answer = await send(url, untyped);

    expect(answer.status).toBe(201);
    expect(put).toMatchObject([{ type: 'image/jpeg', bytes: file }]);
  });

  it('passes on what the API says, with its rate limits', async () => {
    const refused: Answer = [
      429,
      { error: { code: 'rate_limited', message: 'wait' } },
      { 'retry-after': '7', 'x-inner': 'no' },
    ];
    const { url, put } = await gateway({ answers: { '/media/upload-url': refused } });

    const answer = await send(url, form(await picture()));

    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7' }, body: refused[1] });
    expect(answer.headers).not.toHaveProperty('x-inner');
    expect(put).toEqual([]);
  });

  it.each<[string, () => Buffer | Promise<Buffer>, number]>([
    ['another part', async () => form(await picture(), { name: 'photo' }), 400],
    [
      'a second file',
      async () => Buffer.concat([form(await picture(), { end: '' }), form(await picture())]),
      400,
    ],
    [
      'a field',
      () =>
        Buffer.from(
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--${BOUNDARY}--\r\n`,
        ),
      400,
    ],
    [
      'a part without a name',
      () =>
        Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; x="a"\r\n\r\nb\r\n--${BOUNDARY}--\r\n`),
      400,
    ],
    ['no bytes in its file', () => form(Buffer.alloc(0)), 400],
    ['no end', async () => form(await picture(), { end: '' }), 400],
    ['no parts', () => Buffer.from('nothing of the kind'), 400],
    ['a page', () => form(Buffer.from('<!doctype html>')), 400],
    ['a file that is not what it says', async () => form(await picture(), { type: 'image/png' }), 400],
    ['17 MB', () => form(Buffer.alloc(17 * 1024 * 1024)), 413],
  ])('refuses a form with %s in the words of the API', async (_, body, status) => {
    const { url, asked } = await gateway();

    const answer = await send(url, await body());

    expect(answer.status).toBe(status);
    expect(answer.body.error.code).toBe(status === 413 ? 'payload_too_large' : 'invalid_request');
    expect(asked.some(({ path }) => path === '/media')).toBe(false);
  });

  it('tells nobody what is wrong with a form who may not call', async () => {
    const unauthorized: Answer = [401, { error: { code: 'unauthorized', message: 'no' } }];
    const { url } = await gateway({ answers: { '/workspaces': unauthorized } });

    expect(await send(url, Buffer.from('no form'))).toMatchObject({ status: 401, body: unauthorized[1] });
  });

  it('says so when the file could not be stored', async () => {
    const { url, asked } = await gateway({ storage: 403 });

    const answer = await send(url, form(await picture()));

    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(asked.some(({ path }) => path === '/media')).toBe(false);
  });
});
