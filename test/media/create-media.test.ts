import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mediaStore } from '../../functions/media/media-store.ts';
import { incomingKey } from '../../functions/media/upload.ts';
import { HOUR_MS } from '../../functions/shared/clock.ts';
import type { ServiceTable } from '../../functions/shared/table/service-table.ts';
import { tableUnderTest } from '../table-under-test.ts';
import { mediaService } from './media-service.ts';
import { film, image, TELLING } from './samples.ts';

const under = tableUnderTest();
const service = (options?: Parameters<typeof mediaService>[1]) => mediaService(under.table, options);
type Service = Awaited<ReturnType<typeof service>>;

/** Asks for a URL and sends a file to it. */
async function uploaded({ uploadUrl, objects }: Service, file: Buffer, content_type = 'image/jpeg') {
  const { key } = await uploadUrl({ filename: 'bread.jpg', content_type, size: file.length });
  objects.put(key, file);
  return key;
}

const refusal = (code: string, message?: RegExp) =>
  expect.objectContaining({ code, ...(message && { message: expect.stringMatching(message) }) });

describe('an upload', () => {
  it('becomes media once, whose bytes its URL cannot change any more', async () => {
    const media = await service();
    const key = await uploaded(media, await image('jpeg'));
    const { status, body } = await media.create({ key });

    media.objects.put(key, await image('jpeg', { width: 10, height: 10 }));
    const second = await media.create({ key });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'image',
      mime: 'image/jpeg',
      filename: 'bread.jpg',
      thumbnail_status: 'pending',
    });
    expect(second).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', details: { media_id: body.id } } },
    });
    const row = await media.media.find(media.workspaceId, body.id);
    const stored = media.objects.stored.get(row?.object_key ?? '');
    expect(stored).toMatchObject({ etag: row?.etag });
    expect(stored?.bytes.length).toBe(body.bytes);
    expect(body.url).toBe(`https://media.test/${row?.object_key}`);
    expect(media.processQueue.sent).toEqual([{ workspace_id: media.workspaceId, media_id: body.id }]);
  });

  it('gets the same answer again under the same key, with nothing stored anew', async () => {
    const media = await service();
    const [key, idempotencyKey] = [await uploaded(media, await image('png'), 'image/png'), randomUUID()];
    const first = await media.create({ key }, idempotencyKey);
    const before = new Map(media.objects.stored);

    const again = await media.create({ key }, idempotencyKey);

    expect(again.body).toEqual(first.body);
    expect(again.headers).toEqual({ 'idempotent-replayed': 'true' });
    expect(new Map(media.objects.stored)).toEqual(before);
  });

  it('of which two registrations run at once becomes one media', async () => {
    const media = await service();
    const key = await uploaded(media, await film('mp4'), 'video/mp4');

    const replies = await Promise.all(Array.from({ length: 8 }, () => media.create({ key })));

    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array(7).fill(409)]);
    expect(
      (await media.media.page(media.workspaceId, { kind: undefined, limit: 10, olderThan: undefined }))
        .length,
    ).toBe(1);
  });

  it('is refused before its bytes are there, and accepted under the same key after', async () => {
    const media = await service();
    const file = await image('jpeg');
    const { key } = await media.uploadUrl({ filename: 'x', content_type: 'image/jpeg', size: file.length });
    const idempotencyKey = randomUUID();

    await expect(media.create({ key }, idempotencyKey)).rejects.toEqual(
      refusal('invalid_request', /nothing has been uploaded/),
    );
    media.objects.put(key, file);

    expect(await media.create({ key }, idempotencyKey)).toMatchObject({ status: 201 });
  });

  it('of another workspace cannot be told from one that never was', async () => {
    const [mine, other] = [await service(), await service()];
    const theirs = await uploaded(other, await image('jpeg'));
    const never = incomingKey({ workspace_id: mine.workspaceId, id: '0'.repeat(32) });

    const errors = await Promise.all(
      [theirs, never, 'incoming/../media/x', ''].map((key) =>
        mine.create({ key }).catch((error: unknown) => error),
      ),
    );

    expect(errors[0]).toEqual(refusal('invalid_request'));
    expect(new Set(errors.map(String)).size).toBe(1);
  });

  it('is refused when its bytes are not what they were declared', async () => {
    const media = await service();
    const [page, png] = [Buffer.from('<!doctype html><script>alert(1)</script>'), await image('png')];

    await expect(media.create({ key: await uploaded(media, page) })).rejects.toEqual(
      refusal('invalid_request', /no type/),
    );
    await expect(media.create({ key: await uploaded(media, png) })).rejects.toEqual(
      refusal('invalid_request', /declared as image\/jpeg, but its bytes are image\/png/),
    );
  });

  it('is held to the plan by its real size', async () => {
    const media = await service({ maxFileBytes: 100 });
    const file = await image('jpeg');
    const { key } = await media.uploadUrl({ filename: 'x', content_type: 'image/jpeg', size: 50 });
    media.objects.put(key, file);

    await expect(media.uploadUrl({ filename: 'x', content_type: 'video/mp4', size: 101 })).rejects.toEqual(
      refusal('payload_too_large'),
    );
    await expect(media.create({ key })).rejects.toEqual(refusal('payload_too_large'));
  });

  it('of an image has a limit on any plan, and is told why; a film has none but the plan’s', async () => {
    const media = await service({ maxFileBytes: 500_000_000 });
    const asked = { filename: 'x', size: 100 * 1024 * 1024 + 1 };

    await expect(media.uploadUrl({ ...asked, content_type: 'image/png' })).rejects.toEqual(
      refusal('payload_too_large', /an image may have at most 104857600 bytes on any plan/),
    );
    expect(await media.uploadUrl({ ...asked, content_type: 'video/mp4' })).toHaveProperty('upload_url');
  });

  it('that was never registered is taken away, and cannot become media after', async () => {
    const media = await service();
    const key = await uploaded(media, await image('jpeg'));
    const kept = await uploaded(media, await image('jpeg'));
    await media.create({ key: kept });
    media.clock.now += 25 * HOUR_MS;

    await media.discard(key.split('/')[2] ?? '');
    await media.discard(kept.split('/')[2] ?? '');

    const [left] = [...media.objects.stored.keys()].filter((name) => name.startsWith('media/'));
    expect([...media.objects.stored.keys()].sort()).toEqual([kept, left].sort());
    await expect(media.create({ key })).rejects.toEqual(refusal('invalid_request', /names no upload/));
  });

  it('refuses a URL for what is not taken', async () => {
    const media = await service();

    await expect(
      media.uploadUrl({ filename: 'x.svg', content_type: 'image/svg+xml', size: 10 }),
    ).rejects.toEqual(refusal('invalid_request', /must be one of image\/jpeg/));
  });
});

describe('a form', () => {
  it('becomes media by what its file is, whatever it says', async () => {
    const media = await service();
    const content = await film('webm');

    const { body } = await media.create({ filename: null, declared: 'application/octet-stream', content });

    expect(body).toMatchObject({ kind: 'video', mime: 'video/webm', bytes: content.length, filename: null });
    const [stored] = [...media.objects.stored.values()];
    expect(TELLING.some((text) => content.includes(text))).toBe(true);
    expect(TELLING.some((text) => stored?.bytes.includes(text))).toBe(false);
  });
});

describe('the media of one kind', () => {
  it('are read in one call, page by page', async () => {
    let calls = 0;
    const counting: ServiceTable = {
      ...under.table,
      get: () => expect.unreachable(),
      query: (input) => {
        calls += 1;
        return under.table.query(input);
      },
    };
    const media = await service();
    const picture = await image('jpeg');
    const made: string[] = [];
    for (const content of [picture, await film('webm'), picture, picture]) {
      const { body } = await media.create({ filename: null, declared: undefined, content });
      if (body.kind === 'image') made.unshift(body.id);
      media.clock.now += 1;
    }

    const page = async (olderThan?: string) =>
      (await mediaStore(counting).page(media.workspaceId, { kind: 'image', limit: 2, olderThan })).map(
        ({ id }) => id,
      );

    expect(await page()).toEqual(made.slice(0, 2));
    expect(await page(made[1])).toEqual(made.slice(2));
    expect(calls).toBe(2);
  });
});
