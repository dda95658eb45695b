import { describe, expect, it } from 'vitest';
import type { GetUrl } from '../../functions/media/open-url.ts';
import { MINUTE_MS } from '../../functions/shared/clock.ts';
import { BodyCut } from '../../functions/shared/outbound/capped-body.ts';
import { guardedDownload } from '../../functions/shared/outbound/guarded-download.ts';
import type { RequestError } from '../../functions/shared/request-error.ts';
import { fakeNetwork } from '../outbound/fake-network.ts';
import { NAMES_LEADING_INSIDE, REFUSED_URLS } from '../outbound/ssrf-corpus.ts';
import { canary } from '../outbound/test-server.ts';
import { tableUnderTest } from '../table-under-test.ts';
import { mediaService } from './media-service.ts';
import { image } from './samples.ts';

const under = tableUnderTest();
const URL = 'https://files.example.com/photos/sour%20dough.jpg?size=large';

interface Site {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: (() => AsyncIterable<Buffer>) | Buffer;
}

/** A site that answers each request in turn; the last answer stays. */
function site(...answers: Site[]): GetUrl & { readonly asked: () => number } {
  let asked = 0;
  const get: GetUrl = async () => {
    const {
      status = 200,
      headers = {},
      body = Buffer.alloc(0),
    } = answers[Math.min(asked, answers.length - 1)] ?? {};
    asked += 1;
    async function* once() {
      yield body as Buffer;
    }
    const open = typeof body === 'function' ? body() : once();
    return { outcome: 'answered', status, headers, rawHeaders: [], body: open, discard: () => {} };
  };
  return Object.assign(get, { asked: () => asked });
}

async function* cutOff(
  file: Buffer,
  code: 'deadline' | 'body_too_large' | 'body_truncated' | 'body_encoded',
) {
  yield file.subarray(0, 5000);
  throw new BodyCut(code);
}

const service = (getUrl: GetUrl) => mediaService(under.table, { getUrl });
const refused = (outcome: Promise<unknown>) =>
  outcome.then(
    () => undefined,
    (error: RequestError) => error,
  );

describe('a URL', () => {
  it('becomes media from the bytes that come', async () => {
    const file = await image('jpeg');
    const media = await service(site({ headers: { 'content-type': 'text/html' }, body: file }));

    const { status, body } = await media.create({ url: URL });

    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'image', mime: 'image/jpeg', filename: 'sour dough.jpg' });
    expect(media.fetchQueue.sent).toEqual([]);
  });

  it('is refused in one text, whatever is wrong with it, and nothing inside is dialled', async () => {
    const inside = await canary('127.0.0.1');
    const names = Object.fromEntries(
      Object.entries(NAMES_LEADING_INSIDE).map(([name, address]) => [name, [address]]),
    );
    const network = fakeNetwork({ names, canaryPort: inside?.port ?? 1 });
    const media = await service((download) => guardedDownload(download, network));
    const leading = Object.keys(names).map((name) => `https://${name}/`);

    const texts = new Set<string>();
    for (const url of [
      ...REFUSED_URLS,
      ...leading,
      'https://nowhere.example.com/',
      'https://media.test/x.jpg',
    ]) {
      const error = await refused(media.create({ url }));
      expect(error, url).toMatchObject({ code: 'invalid_request', status: 400 });
      texts.add(JSON.stringify(error?.envelope));
    }

    expect(texts.size).toBe(1);
    expect(network.dialled).toEqual([]);
    expect(inside?.connections()).toBe(0);
  }, 20_000);

  it('at which nobody answers is refused after one time, whatever the reason; a host’s text takes none', async () => {
    const took = async (url: string, getUrl: GetUrl, attemptMs: number) => {
      const media = await service(async (download) => {
        media.clock.now += attemptMs;
        return getUrl(download);
      });
      const startedMs = media.clock.now;
      await refused(media.create({ url }));
      return media.clock.now - startedMs;
    };
    const never = (code: 'dns_failed' | 'connect_failed' | 'connect_timeout'): GetUrl => {
      return async () => ({ outcome: 'never-sent', code });
    };
    const blocked: GetUrl = async () => ({ outcome: 'blocked', reason: 'address behind the name' });

    expect(await took(URL, blocked, 20)).toBe(4000);
    expect(await took(URL, never('dns_failed'), 30)).toBe(4000);
    expect(await took(URL, never('connect_failed'), 150)).toBe(4000);
    expect(await took(URL, never('connect_timeout'), 3050)).toBe(4000);
    expect(await took(URL, never('connect_timeout'), 9050)).toBe(12_000);
    expect(await took('https://10.0.0.1/', blocked, 20)).toBe(0);
  });

  it.each<[string, Site]>([
    ['a page', { body: Buffer.from('<!doctype html><h1>no</h1>') }],
    [
      'an SVG',
      {
        headers: { 'content-type': 'image/png' },
        body: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      },
    ],
    [
      'a playlist named as a film',
      { headers: { 'content-type': 'video/mp4' }, body: Buffer.from('#EXTM3U\n#EXTINF:1,\nhttps://x/') },
    ],
    ['a ZIP', { body: Buffer.from('PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') }],
    ['nothing', { body: Buffer.alloc(0) }],
    ['a part', { status: 206, body: Buffer.alloc(10) }],
    ['an error', { status: 404 }],
    ['a compressed body', { body: () => cutOff(Buffer.alloc(0), 'body_encoded') }],
  ])('is refused in the same text when it gives %s', async (_, answer) => {
    const media = await service(site(answer));

    const error = await refused(media.create({ url: URL }));

    expect(error).toEqual(await refused((await service(site({ status: 500 }))).create({ url: URL })));
  });

  it('is too large by its own word, or by its bytes', async () => {
    const file = await image('jpeg', { width: 2000, height: 2000 });
    const media = await service(site({ body: () => cutOff(file, 'body_too_large') }));

    expect(await refused(media.create({ url: URL }))).toMatchObject({
      code: 'payload_too_large',
      status: 413,
    });
  });

  it('is tried again after an error that may heal', async () => {
    const getUrl = site({ status: 503 }, { status: 500 }, { body: await image('png') });

    expect(await (await service(getUrl)).create({ url: URL })).toMatchObject({ status: 201 });
    expect(getUrl.asked()).toBe(3);
  });
});

describe('a long transfer', () => {
  const tooSlow = async () => ({
    headers: { 'content-length': '9000' },
    body: async function* () {
      yield* cutOff(await image('jpeg', { width: 2000, height: 2000 }), 'deadline');
    },
  });

  it('is answered from what is known, and finished by a worker', async () => {
    const file = await image('jpeg', { width: 300, height: 200 });
    const media = await service(site(await tooSlow(), { body: file }));
    const { status, body } = await media.create({ url: URL });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { bytes: 9000, mime: 'image/jpeg', thumbnail_status: 'pending' },
    });
    expect(media.fetchQueue.sent).toEqual([{ workspace_id: media.workspaceId, media_id: body.id }]);

    await media.fetch(body.id);
    await media.fetch(body.id);

    const row = await media.media.find(media.workspaceId, body.id);
    expect(row).toMatchObject({ status: 'ready', failure: null });
    expect(media.objects.stored.get(row?.object_key ?? '')).toMatchObject({ etag: row?.etag });
    expect(body.url).toBe(`https://media.test/${row?.object_key}`);
    expect([...media.objects.stored.keys()].filter((key) => key.includes(body.id))).toEqual([]);
    expect(media.processQueue.sent).toEqual([{ workspace_id: media.workspaceId, media_id: body.id }]);
  });

  it.each<[string, Site, RegExp]>([
    ['breaks off again and again', { status: 500 }, /could not be fetched/],
    [
      'gives something else than at first',
      { body: Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;') },
      /could not be fetched/,
    ],
  ])('that %s ends as failed and says why', async (_, answer, why) => {
    const media = await service(site(await tooSlow(), answer));
    const { body } = await media.create({ url: URL });

    await media.fetch(body.id);

    expect(await media.media.find(media.workspaceId, body.id)).toMatchObject({
      status: 'failed',
      thumbnail_status: 'failed',
      failure: expect.stringMatching(why),
    });
  });

  it('that takes its worker with it time and again is given up', async () => {
    const media = await service(site(await tooSlow()));
    const { body } = await media.create({ url: URL });
    const message = { workspace_id: media.workspaceId, media_id: body.id };
    for (let worker = 0; worker < 3; worker += 1) {
      await media.work.claim(message, { step: 'fetch', nowMs: media.clock.now, leaseMs: MINUTE_MS });
      media.clock.now += 2 * MINUTE_MS;
    }

    await media.fetch(body.id);

    expect(await media.media.find(media.workspaceId, body.id)).toMatchObject({ status: 'failed' });
  });
});
