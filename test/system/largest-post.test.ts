import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type Call, runningService } from './client.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const TARGETS = 25;
const FOUR_BYTES = '😀';

const { call: anyone } = runningService();
let workspace: TestWorkspace;
let channels: readonly string[];
let images: readonly string[];
beforeAll(async () => {
  workspace = await newWorkspace(operatorOf(inject('stateDirectory')));
  channels = await Promise.all(Array.from({ length: TARGETS }, () => workspace.newChannel('meta_facebook')));
  images = await Promise.all(Array.from({ length: 10 }, () => workspace.newMedia('image')));
});
const call: Call = (method, path, options) => anyone(method, path, { key: workspace.key, ...options });

/** A post as large as the interface lets it be, in letters of this kind. */
const largest = (letter: string, more: object = {}) => ({
  caption: letter.repeat(5000),
  channels: channels.map((id) => ({
    id,
    caption: letter.repeat(5000),
    options: {
      share_to_story: true,
      image_alt_texts: Array(10).fill(letter.repeat(1000)),
      video_title: letter.repeat(255),
    },
    ...more,
  })),
  media: images.map((id) => ({ id })),
});

/** As clients in Python or PHP write JSON: twelve ASCII characters for one of four bytes. */
const escaped = (value: unknown) =>
  JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

describe('the largest legal post', () => {
  it('is taken, repeated byte for byte, edited, read and removed', async () => {
    const body = largest(FOUR_BYTES, { title: FOUR_BYTES.repeat(500), description: FOUR_BYTES.repeat(5000) });
    const idempotencyKey = randomUUID();

    const created = await call('POST', '/drafts', { body, idempotencyKey });
    const repeated = await call('POST', '/drafts', { body, idempotencyKey });

    expect(created.status).toBe(202);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(repeated.text === created.text).toBe(true);
    const path = `/posts/${created.body.id}`;
    const read = await call('GET', path);
    expect(read.text.length).toBeGreaterThan(500_000);
    expect(read.body.channels.map(({ options }: { options: unknown }) => options)).toEqual(
      body.channels.map(({ options }) => options),
    );
    expect((await call('PATCH', path, { body })).status).toBe(200);
    expect((await call('PATCH', path, { body: { publish_now: true } })).status).toBe(200);
  });

  it('may be written in ASCII alone', async () => {
    const body = escaped(largest(FOUR_BYTES));

    const { status, body: post } = await call('POST', '/drafts', { body });

    expect(body.length).toBeGreaterThan(4_000_000);
    expect(status).toBe(202);
    expect(post.caption).toBe(FOUR_BYTES.repeat(5000));
  });

  it.each([FOUR_BYTES, '"'])('fits several to a page, which ends early: %j', async (letter) => {
    const own = await newWorkspace(operatorOf(inject('stateDirectory')));
    const ids = await Promise.all(Array.from({ length: TARGETS }, () => own.newChannel('meta_facebook')));
    // Options are shown, captions of channels are not: a page holds most of what was sent.
    const bare = largest(letter).channels.map(({ options }, index) => ({ id: ids[index], options }));
    const made: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const created = await call('POST', '/drafts', { key: own.key, body: { caption: 'x', channels: bare } });
      expect(created.status).toBe(202);
      made.unshift(created.body.id);
    }

    for (const filter of ['', `&channel_id=${ids[0]}`]) {
      const shown: string[] = [];
      let cursor = '';
      let pages = 0;
      do {
        const page = await call('GET', `/posts?limit=100${filter}${cursor && `&cursor=${cursor}`}`, {
          key: own.key,
        });
        expect(page.status).toBe(200);
        shown.push(...page.body.data.map(({ id }: { id: string }) => id));
        cursor = page.body.next_cursor ?? '';
        pages += 1;
      } while (cursor);
      expect(shown).toEqual(made);
      expect(pages).toBeGreaterThan(1);
    }
  });

  it('may be no larger than Lambda takes, and says so', async () => {
    for (const megabytes of [5.1, 7, 11]) {
      const body = `"${'x'.repeat(megabytes * 1024 * 1024)}"`;
      const answer = await call('POST', '/drafts', { body });
      expect([megabytes, answer.status, answer.body.error.code]).toEqual([
        megabytes,
        413,
        'payload_too_large',
      ]);
    }
  });
});
