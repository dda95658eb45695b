import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { PLATFORMS, type Platform } from '../../functions/channels/platform.ts';
import { type Call, runningService } from './client.ts';
import { inAnHour } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const { call: anyone, service } = runningService();
let workspace: TestWorkspace;
let media: Readonly<Record<'image' | 'video', string>>;
let images: readonly string[];
beforeAll(async () => {
  workspace = await newWorkspace(operatorOf(inject('stateDirectory')));
  media = { image: await workspace.newMedia('image'), video: await workspace.newMedia('video') };
  images = await Promise.all(Array.from({ length: 10 }, () => workspace.newMedia('image')));
});
const call: Call = (method, path, options) => anyone(method, path, { key: workspace.key, ...options });
const on = (platform: Platform, more: object = {}) => [{ id: workspace.channels[platform], ...more }];
const drafted = (body: object) =>
  call('POST', '/drafts', { body: { caption: 'x', channels: on('custom_webhook'), ...body } });
const published = (body: object) =>
  call('POST', '/posts', { body: { caption: 'x', scheduled_for: inAnHour(), ...body } });

const [SHORT, LATIN, FOUR_BYTES] = ['x', 'é', '𠀀'];

describe('limits in code points', () => {
  it.each([SHORT, LATIN, FOUR_BYTES])('hold at the limit and not beyond, in %s', async (letter) => {
    const of = (length: number) => letter.repeat(length);
    const target = (more: object) => ({ channels: on('custom_webhook', more) });
    const options = (platform: Platform, given: object) => ({ channels: on(platform, { options: given }) });
    const limits: readonly (readonly [string, (length: number) => object, number])[] = [
      ['caption', (n) => ({ caption: of(n) }), 5000],
      ['channels.0.caption', (n) => target({ caption: of(n) }), 5000],
      ['tags.0', (n) => options('youtube', { tags: [of(n)] }), 100],
      ['collaborators.0', (n) => options('meta_instagram', { collaborators: [of(n)] }), 60],
      ['video_title', (n) => options('meta_facebook', { video_title: of(n) }), 255],
      ['image_alt_texts.0', (n) => options('linkedin_company', { image_alt_texts: [of(n)] }), 1000],
    ];
    for (const [path, body, limit] of limits) {
      expect([path, (await drafted(body(limit))).status]).toEqual([path, 202]);
      const refused = await drafted(body(limit + 1));
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
      expect(refused.body.error.message).toContain(path);
    }
  });

  it.each<[string, () => object, () => object]>([
    ['channels', () => ({ channels: many(25) }), () => ({ channels: many(26) })],
    [
      'media',
      () => ({ media: images.map((id) => ({ id })) }),
      () => ({ media: [...images, media.image].map((id) => ({ id })) }),
    ],
    ['tags', () => tags(50, 1), () => tags(51, 1)],
    ['tags in all', () => tags(5, 100), () => tags(50, 11)],
    ['alt texts', () => altTexts(10), () => altTexts(11)],
    ['collaborators', () => collaborators(3), () => collaborators(4)],
  ])('of %s', async (_, most, tooMany) => {
    // 25 ids of channels that are not there are read as a list of legal length, and refused one step later.
    expect((await drafted(most())).status).toBeOneOf([202, 422]);
    expect((await drafted(tooMany())).status).toBe(400);
  });

  it('take no caption that says nothing', async () => {
    for (const caption of ['', ' ', '\n\t　', null, 7, undefined])
      expect((await drafted({ caption })).status).toBe(400);
    expect((await drafted({ channels: [] })).status).toBe(400);
  });
});

const many = (count: number) => Array.from({ length: count }, () => ({ id: randomUUID() }));
const tags = (count: number, length: number) => ({
  channels: on('youtube', { options: { tags: Array(count).fill('x'.repeat(length)) } }),
});
const altTexts = (count: number) => ({
  channels: on('meta_facebook', { options: { image_alt_texts: Array(count).fill('x') } }),
});
const collaborators = (count: number) => ({
  channels: on('meta_instagram', { options: { collaborators: Array(count).fill('x') } }),
});

/** Section 2.5 of the interface: a value of each option, and where it belongs. */
const OPTIONS: Readonly<Record<string, { value: unknown; on: readonly Platform[] }>> = {
  privacy_status: { value: 'unlisted', on: ['youtube'] },
  category_id: { value: '22', on: ['youtube'] },
  tags: { value: ['a'], on: ['youtube'] },
  made_for_kids: { value: false, on: ['youtube'] },
  contains_synthetic_media: { value: true, on: ['youtube'] },
  share_to_story: { value: true, on: ['meta_facebook', 'meta_instagram'] },
  image_alt_texts: {
    value: ['a'],
    on: ['meta_facebook', 'meta_instagram', 'linkedin_personal', 'linkedin_company'],
  },
  share_to_feed: { value: false, on: ['meta_instagram'] },
  collaborators: { value: ['a'], on: ['meta_instagram'] },
  video_title: { value: 'a', on: ['meta_facebook'] },
  privacy_level: { value: 'MUTUAL_FOLLOW_FRIENDS', on: ['tiktok'] },
  disable_comment: { value: true, on: ['tiktok'] },
  disable_duet: { value: true, on: ['tiktok'] },
  disable_stitch: { value: true, on: ['tiktok'] },
  commercial_content: { value: false, on: ['tiktok'] },
  brand_organic_toggle: { value: true, on: ['tiktok'] },
  brand_content_toggle: { value: true, on: ['tiktok'] },
  is_aigc: { value: true, on: ['tiktok'] },
  visibility: { value: 'CONNECTIONS', on: ['linkedin_personal', 'linkedin_company'] },
  reshare_disabled: { value: true, on: ['linkedin_personal', 'linkedin_company'] },
};

describe('options', () => {
  it.each(PLATFORMS)('of %s are those of the interface', async (platform) => {
    for (const [option, { value, on: platforms }] of Object.entries(OPTIONS)) {
      const answer = await drafted({ channels: on(platform, { options: { [option]: value } }) });
      const isTaken = platforms.includes(platform);
      expect([option, answer.status]).toEqual([option, isTaken ? 202 : 422]);
      if (isTaken) expect(answer.body.channels[0].options).toEqual({ [option]: value });
      else expect(answer.body.error.message).toContain(platform);
    }
  });

  it('with unknown keys or wrong values are 400, with the path', async () => {
    for (const options of [
      { colour: 'red' },
      { privacy_status: 'secret' },
      { category_id: 'x' },
      { tags: 'a' },
    ]) {
      const { status, body } = await drafted({ channels: on('youtube', { options }) });
      expect(status).toBe(400);
      expect(body.error.details.issues[0].path).toBe(`body.channels.0.options.${Object.keys(options)[0]}`);
    }
    for (const unknown of [{ text: 'x' }, { channels: on('youtube', { colour: 'red' }) }])
      expect((await drafted(unknown)).status).toBe(400);
  });

  it.each([
    [{ commercial_content: true }, 422],
    [{ commercial_content: true, brand_organic_toggle: false }, 422],
    [{ commercial_content: true, brand_organic_toggle: true }, 202],
    [{ brand_content_toggle: true, privacy_level: 'SELF_ONLY' }, 422],
    [{ brand_content_toggle: true, privacy_level: 'PUBLIC_TO_EVERYONE' }, 202],
  ])('of a TikTok post must agree: %o', async (options, status) => {
    expect((await drafted({ channels: on('tiktok', { options }) })).status).toBe(status);
  });
});

describe('content rules', () => {
  it.each<[Platform, 'image' | 'video' | 'text', number]>([
    ['meta_facebook', 'text', 202],
    ['linkedin_personal', 'text', 202],
    ['linkedin_company', 'text', 202],
    ['custom_webhook', 'text', 202],
    ['meta_instagram', 'text', 422],
    ['tiktok', 'text', 422],
    ['youtube', 'text', 422],
    ['meta_instagram', 'image', 202],
    ['youtube', 'video', 202],
    ['youtube', 'image', 422],
  ])('of %s for a post of %s', async (platform, kind, status) => {
    const attached = kind === 'text' ? {} : { media: [{ id: media[kind] }] };
    const channels = on(platform);

    expect((await published({ channels, ...attached })).status).toBe(status);
    expect((await drafted({ channels, ...attached })).status).toBe(202);
  });

  it('ask a direct TikTok post for its privacy level, and an inbox post for nothing', async () => {
    const video = { media: [{ id: media.video }] };
    const inbox = [{ id: await workspace.newChannel('tiktok', { direct_post: false }) }];
    const open = { options: { privacy_level: 'PUBLIC_TO_EVERYONE' } };

    expect((await published({ channels: on('tiktok'), ...video })).status).toBe(422);
    expect((await published({ channels: on('tiktok', open), ...video })).status).toBe(202);
    expect((await published({ channels: inbox, ...video })).status).toBe(202);
  });

  it('tell all channels that would refuse a post, each with its place', async () => {
    const { status, body } = await published({
      channels: [...on('custom_webhook'), ...on('meta_instagram'), ...on('youtube')],
    });

    expect(status).toBe(422);
    const { message, details } = body.error;
    expect(message).toContain('(Instagram) needs image or video media');
    expect(details).toMatchObject({ path: 'body.media', platform: 'meta_instagram', rule: 'media_required' });
    expect(details.issues).toMatchObject([
      { path: 'body.media', platform: 'meta_instagram', message },
      { path: 'body.media', platform: 'youtube', message: expect.stringContaining('needs video media') },
    ]);
  });

  it('let alt texts for images that are not there pass in a draft alone', async () => {
    const channels = on('meta_facebook', { options: { image_alt_texts: ['a', 'b'] } });
    const body = { channels, media: [{ id: media.image }] };

    const draft = await drafted(body);
    expect(draft.status).toBe(202);
    const late = call('PATCH', `/posts/${draft.body.id}`, { body: { scheduled_for: inAnHour() } });
    for (const refused of [await published(body), await late]) {
      expect(refused.status).toBe(422);
      expect(refused.body.error.details).toMatchObject({
        path: 'body.channels.0.options.image_alt_texts',
        channel_id: workspace.channels.meta_facebook,
        rule: 'alt_text_count',
        limit: 1,
      });
    }
    expect((await published({ ...body, media: images.slice(0, 2).map((id) => ({ id })) })).status).toBe(202);
  });

  it('name what is not the workspace’s', async () => {
    const theirs = service.workspaces[1]?.channels[0]?.id ?? '';
    for (const body of [{ channels: [{ id: theirs }] }, { media: [{ id: randomUUID() }] }])
      expect(await drafted(body)).toMatchObject({ status: 422, body: { error: { code: 'unprocessable' } } });
    const twice = [...on('custom_webhook'), ...on('custom_webhook')];
    expect((await drafted({ channels: twice })).status).toBe(422);
  });
});

describe('when a post goes out', () => {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();

  it.each<[string, () => object, number]>([
    ['in less than 2 minutes', () => ({ scheduled_for: at(110_000) }), 422],
    ['in just over 2 minutes', () => ({ scheduled_for: at(125_000) }), 202],
    ['in the past', () => ({ scheduled_for: '2020-01-01T00:00:00Z' }), 422],
    ['in over a year', () => ({ scheduled_for: at(367 * 86_400_000) }), 422],
    ['without a zone', () => ({ scheduled_for: '2030-01-01T00:00:00' }), 400],
    ['on a day that is none', () => ({ scheduled_for: '2027-02-30T00:00:00Z' }), 400],
    ['as a number', () => ({ scheduled_for: 1_900_000_000 }), 400],
    ['both at its time and now', () => ({ scheduled_for: inAnHour(), publish_now: true }), 422],
    ['at its time, and not now', () => ({ scheduled_for: inAnHour(), publish_now: false }), 202],
  ])('%s', async (_, timing, status) => {
    const body = { caption: 'x', channels: on('custom_webhook'), ...timing() };

    expect((await call('POST', '/posts', { body })).status).toBe(status);
  });

  it('is no question of a draft', async () => {
    expect((await drafted({ scheduled_for: inAnHour() })).status).toBe(422);
    expect((await drafted({ publish_now: true })).status).toBe(422);
  });
});

describe('JSON that could be read in two ways', () => {
  it.each([
    ['a duplicate key', `{"caption":"a","caption":"b","channels":[]}`],
    ['half a surrogate pair', `{"caption":"\\ud83d","channels":[]}`],
    ['a NUL', `{"caption":"a\\u0000","channels":[]}`],
    ['absurd depth', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['an inexact number', `{"caption":12345678901234567890,"channels":[]}`],
    ['a prototype', `{"__proto__":{"publish_now":true},"caption":"a","channels":[]}`],
    ['nothing', ''],
    ['no object', '[]'],
    ['an unfinished text', '{"caption":"a'],
  ])('is refused: %s', async (_, body) => {
    expect(await call('POST', '/drafts', { body })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
  });
});
