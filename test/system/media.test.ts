import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { keys } from '../../functions/shared/table/keys.ts';
import { film, image, TELLING } from '../media/samples.ts';
import { type Answer, channelOf, deliveriesOf, eventually, runningService } from './client.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const { call, service } = runningService();
const operator = operatorOf(inject('stateDirectory'));
let mine: TestWorkspace;
let theirs: TestWorkspace;
beforeAll(async () => {
  [mine, theirs] = await Promise.all([newWorkspace(operator), newWorkspace(operator)]);
});

async function sendForm(file: Buffer, name: string, options: { key?: string; idempotencyKey?: string } = {}) {
  const form = new FormData();
  form.append('file', new Blob([file]), name);
  const response = await fetch(`${service.base_url}/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${options.key ?? mine.key}`,
      'idempotency-key': options.idempotencyKey ?? randomUUID(),
    },
    body: form,
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

const until = (
  look: () => Promise<Answer>,
  isDone: (body: Answer['body']) => boolean,
): Promise<Answer['body']> =>
  eventually(async () => {
    const { body } = await look();
    return isDone(body) ? body : undefined;
  });

const processed = (id: string, key = mine.key) =>
  until(
    () => call('GET', `/media/${id}`, { key }),
    ({ thumbnail_status: s }) => s === 'ready' || s === 'failed',
  );

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('an upload by URL', () => {
  it('takes exactly the bytes it was asked for, and never changes after it is registered', async () => {
    const file = await image('jpeg', { width: 600, height: 400 });
    const type = { 'content-type': 'image/jpeg' };
    const { body: url } = await call('POST', '/media/upload-url', {
      key: mine.key,
      body: { filename: 'loaf.jpg', content_type: 'image/jpeg', size: file.length },
    });
    const put = (body: Buffer, headers: Record<string, string>) =>
      fetch(url.upload_url, { method: 'PUT', body, headers });

    expect((await put(file, { 'content-type': 'image/png' })).status).toBe(403);
    expect((await put(file.subarray(1), type)).status).toBe(403);
    expect((await put(file, type)).status).toBe(200);
    const { status, body: media } = await call('POST', '/media', { key: mine.key, body: { key: url.key } });
    expect({ status, expires: url.expires_in }).toEqual({ status: 201, expires: 600 });
    const before = Buffer.from(await (await fetch(media.url)).arrayBuffer());
    await put(
      await image('jpeg', { width: 600, height: 400, orientation: 3 }).then((other) =>
        Buffer.concat([other], file.length),
      ),
      type,
    );
    const after = await fetch(media.url);

    expect(Buffer.from(await after.arrayBuffer()).equals(before)).toBe(true);
    expect(before.length).toBe(media.bytes);
    expect(Object.fromEntries(after.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const theirTry = await call('POST', '/media', { key: theirs.key, body: { key: url.key } });
    const madeUp = await call('POST', '/media', {
      key: theirs.key,
      body: { key: `incoming/${theirs.id}/${'0'.repeat(32)}` },
    });
    expect(theirTry.text).toBe(madeUp.text);
  });
});

describe('a form', () => {
  it('is one upload however often it is sent, and its image tells nothing of its maker', async () => {
    const [file, idempotencyKey] = [
      await image('jpeg', { width: 900, height: 600, orientation: 6 }),
      randomUUID(),
    ];

    const [first, again] = [
      await sendForm(file, 'a.jpg', { idempotencyKey }),
      await sendForm(file, 'a.jpg', { idempotencyKey }),
    ];
    const other = await sendForm(await image('png'), 'a.jpg', { idempotencyKey });

    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } });
    const media = await processed(first.body.id);
    expect(media).toMatchObject({ thumbnail_status: 'ready', width: 600, height: 900, error_message: null });
    expect(media.thumbnails.display).toMatchObject({ width: 600, height: 900 });
    for (const url of [
      media.url,
      ...Object.values<{ url: string }>(media.thumbnails).map((each) => each.url),
    ]) {
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(bytes.length).toBeGreaterThan(100);
      expect(TELLING.some((text) => bytes.includes(text))).toBe(false);
    }
  });

  it('with a film is measured and shown', async () => {
    const { body } = await sendForm(await film('mp4', { rotation: 90 }), 'oven.mp4');

    expect(await processed(body.id)).toMatchObject({
      kind: 'video',
      width: 36,
      height: 64,
      duration_ms: 1000,
      thumbnail_status: 'ready',
    });
  });

  it('of 15 MB is taken, and one above 16 MB is named the other way', async () => {
    const head = await film('mp4');
    const free = Buffer.alloc(15_500_000 - head.length);
    free.writeUInt32BE(free.length);
    free.write('free', 4);

    expect((await sendForm(Buffer.concat([head, free]), 'long.mp4')).body).toMatchObject({
      bytes: 15_500_000,
      mime: 'video/mp4',
    });
    const tooLarge = await sendForm(Buffer.alloc(17_000_000), 'x.mp4');
    expect(tooLarge).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
    expect(tooLarge.body.error.message).toContain('upload-url');
  });
});

describe('the library', () => {
  it('lists the workspace’s own media by kind, page by page', async () => {
    const workspace = await newWorkspace(operator);
    const { key } = workspace;
    const made: string[] = [];
    for (const kind of ['image', 'video', 'image', 'image', 'video'] as const)
      made.push(await workspace.newMedia(kind));

    const pages: string[][] = [];
    for (let path = '/media?limit=2'; path; ) {
      const { body } = await call('GET', path, { key });
      pages.push(body.data.map(({ id }: { id: string }) => id));
      path = body.next_cursor ? `/media?limit=2&cursor=${body.next_cursor}` : '';
    }
    const videos = (await call('GET', '/media?kind=video&limit=1', { key })).body;
    const rest = (await call('GET', `/media?kind=video&limit=1&cursor=${videos.next_cursor}`, { key })).body;

    expect(pages.flat()).toEqual(made.toReversed());
    expect([...videos.data, ...rest.data].map(({ id }) => id)).toEqual([made[4], made[1]]);
    expect(rest.has_more).toBe(false);
    expect((await call('GET', `/media?kind=image&cursor=${videos.next_cursor}`, { key })).status).toBe(400);
    expect((await call('GET', `/media/${made[0]}`, { key: theirs.key })).status).toBe(404);
  });
});

describe('a post with media', () => {
  it('is delivered with the very bytes that are served', async () => {
    const key = service.workspaces[0]?.api_keys.full ?? '';
    const files = [
      await sendForm(await image('png'), 'crust "and" crumb.png', { key }),
      await sendForm(await film('webm'), 'v.webm', { key }),
    ];
    const caption = `with media ${randomUUID()}`;
    const media = files.map(({ body }) => ({ id: body.id }));

    await call('POST', '/posts', {
      key,
      body: { caption, channels: [{ id: channelOf(service) }], media, publish_now: true },
    });
    const delivery = await eventually(async () => (await deliveriesOf(service, caption))[0]);

    expect(delivery.signature_valid).toBe(true);
    const served = await Promise.all(
      files.map(async ({ body }) => Buffer.from(await (await fetch(body.url)).arrayBuffer())),
    );
    expect(delivery.media.map(({ sha256: sum, size }) => ({ sum, size }))).toEqual(
      served.map((bytes) => ({ sum: sha256(bytes), size: bytes.length })),
    );
    expect(TELLING.some((text) => served.some((bytes) => bytes.includes(text)))).toBe(false);
  });

  it('waits for what is on its way, and fails with the reason when it cannot come', async () => {
    const { id: workspaceId = '', api_keys } = service.workspaces[0] ?? {};
    const key = api_keys?.full ?? '';
    const { id } = (await sendForm(await image('png'), 'late.png', { key })).body;
    await processed(id, key);
    const set = (status: string, failure: string | null) =>
      operator.table.update({
        Key: keys.media(workspaceId, id),
        UpdateExpression: 'SET #status = :status, failure = :failure',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status, ':failure': failure },
      });
    await set('arriving', null);
    const body = {
      caption: 'soon',
      channels: [{ id: channelOf(service) }],
      media: [{ id }],
      publish_now: true,
    };
    const { body: post } = await call('POST', '/posts', { key, body });
    const look = () => call('GET', `/posts/${post.id}`, { key });
    await until(look, ({ channels: [target] }) => target.error_message?.includes('on its way'));

    await set('failed', 'The file could not be fetched from its URL.');

    const ended = await until(look, ({ status }) => status === 'failed');
    expect(ended.channels[0].error_message).toMatch(new RegExp(`${id}.*could not be fetched from its URL`));
  });

  it.each(['https://localhost/x.jpg', 'http://example.com/x.jpg', 'https://169.254.169.254/x.jpg'])(
    'is refused for media at %s, as are all URLs that give none',
    async (url) => {
      const body = { caption: 'x', channels: [{ id: mine.channels.custom_webhook }], media: [{ url }] };

      const asMedia = await call('POST', '/media', { key: mine.key, body: { url } });
      const inPost = await call('POST', '/posts', { key: mine.key, body });

      expect(asMedia).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
      expect(inPost.status).toBe(400);
      expect(inPost.body.error.message).toBe(
        asMedia.body.error.message.replace('body.url', 'body.media.0.url'),
      );
    },
  );
});
