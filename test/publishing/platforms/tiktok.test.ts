import { describe, expect, it } from 'vitest';
import { tiktokPublisher } from '../../../functions/publishing/platforms/tiktok/tiktok-publisher.ts';
import { fakeTiktok } from '../../../local/platforms/tiktok.ts';
import { forSeeds } from '../simulation/seeds.ts';
import { type Draft, FAKES_URL, lyingService, manyLies, type UnderTest } from './lying-service.ts';

const DIRECT: UnderTest<ReturnType<typeof fakeTiktok>> = {
  platform: 'tiktok',
  credentials: {
    access_token: 'tiktok-000777-a',
    refresh_token: 'refresh-000777-a',
    client_key: 'key',
    client_secret: 'secret',
    open_id: '1',
  },
  channel: { direct_post: true },
  fake: (world) => fakeTiktok(world),
  publisher: (needs) => tiktokPublisher({ base: `${FAKES_URL}/tiktok/v2`, ...needs }),
  limited: { status: 429, body: { error: { code: 'rate_limit_exceeded', message: '' } } },
  broken: { status: 500, body: { error: { code: 'internal_error', message: '' } } },
};
const INBOX = { ...DIRECT, channel: { direct_post: false } };

const VIDEO = { kind: 'video' } as const;
const LARGE = { kind: 'video', bytes: 70_000_001 } as const;
const PHOTO = { kind: 'image' } as const;
const PUBLIC = { privacy_level: 'PUBLIC_TO_EVERYONE' } as const;

describe('tiktok', () => {
  it('posts a video, and fills in its id of 19 digits and its address once TikTok tells them', async () => {
    const { publish, target, requests } = lyingService(1, DIRECT);

    expect(await publish({ files: [VIDEO], options: { ...PUBLIC, disable_duet: true } })).toEqual([]);

    expect(target()).toMatchObject({
      status: 'posted',
      external_post_id: '7412345678900000002',
      external_post_url: 'https://www.tiktok.com/@creator_000777/video/7412345678900000002',
      error_message: null,
    });
    const init = requests.find(({ path }) => path === '/v2/post/publish/video/init/');
    expect(JSON.parse(String(init?.body))).toEqual({
      post_info: {
        title: 'Fresh bread',
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_comment: false,
        disable_duet: true,
        disable_stitch: false,
        is_aigc: false,
        brand_content_toggle: false,
        brand_organic_toggle: false,
      },
      source_info: {
        source: 'FILE_UPLOAD',
        video_size: 2_500_000,
        chunk_size: 2_500_000,
        total_chunk_count: 1,
      },
    });
  });

  it('asks for the creator before each post', async () => {
    const { publish, requests } = lyingService(1, DIRECT);

    await publish({ files: [PHOTO], options: PUBLIC });

    expect(requests.map(({ path }) => path.replace('/v2/post/publish/', '')).slice(0, 3)).toEqual([
      'creator_info/query/',
      'content/init/',
      'status/fetch/',
    ]);
  });

  it('sends a large video in chunks of 10 MB, whose last one carries the rest', async () => {
    const { publish, target, requests } = lyingService(1, DIRECT);

    expect(await publish({ files: [LARGE], options: PUBLIC })).toEqual([]);

    expect(target()?.status).toBe('posted');
    const ranges = requests
      .filter(({ method }) => method === 'PUT')
      .map((put) => put.headers['content-range']);
    expect(ranges).toHaveLength(7);
    expect(ranges.at(0)).toBe('bytes 0-9999999/70000001');
    expect(ranges.at(-1)).toBe('bytes 60000000-70000000/70000001');
  });

  it('never shows our token to an upload address', async () => {
    const { publish, requests } = lyingService(1, DIRECT);

    await publish({ files: [VIDEO], options: PUBLIC });

    const [put] = requests.filter(({ method }) => method === 'PUT');
    expect(put?.headers.authorization).toBeUndefined();
  });

  it('posts photos with the caption as description, and says of them what the options say', async () => {
    const { publish, target, requests } = lyingService(1, DIRECT);

    expect(await publish({ files: [PHOTO, PHOTO], options: { ...PUBLIC, is_aigc: true } })).toEqual([]);

    expect(target()?.external_post_url).toContain('/photo/');
    const init = requests.find(({ path }) => path === '/v2/post/publish/content/init/');
    expect(JSON.parse(String(init?.body))).toMatchObject({
      media_type: 'PHOTO',
      post_mode: 'DIRECT_POST',
      is_aigc: true,
      post_info: { description: 'Fresh bread', auto_add_music: false, disable_comment: false },
      source_info: { source: 'PULL_FROM_URL', photo_cover_index: 0 },
    });
  });

  it('leaves a post in the inbox of its user, and says what is left to do', async () => {
    for (const files of [[VIDEO], [PHOTO]]) {
      const { publish, target, requests } = lyingService(1, INBOX);

      expect(await publish({ files })).toEqual([]);

      expect(target()).toMatchObject({ status: 'posted', external_post_id: null });
      expect(target()?.error_message).toContain('must finish it there');
      expect(requests.some(({ path }) => path.includes('creator_info'))).toBe(false);
    }
  });

  it('gives a private post no address, and does not wait for one', async () => {
    const { publish, target, requests } = lyingService(1, DIRECT, { processingMs: 0 });

    await publish({ files: [VIDEO], options: { privacy_level: 'SELF_ONLY' } });

    expect(target()).toMatchObject({ status: 'posted', external_post_id: null, error_message: null });
    expect(requests.filter(({ path }) => path.endsWith('/status/fetch/'))).toHaveLength(1);
  });

  it('refuses a privacy level that the account does not offer, before anything is sent', async () => {
    const { publish, target, fake } = lyingService(1, DIRECT);

    await publish({ files: [VIDEO], options: { privacy_level: 'FOLLOWER_OF_CREATOR' } });

    expect(target()?.status).toBe('failed');
    expect(target()?.error_message).toContain('not FOLLOWER_OF_CREATOR');
    expect(fake().state.posts).toEqual({});
  });

  it('refuses a video that is longer than the account may post', async () => {
    const { publish, target } = lyingService(1, DIRECT);

    await publish({ files: [{ ...VIDEO, duration_ms: 601_000 }], options: PUBLIC });

    expect(target()?.error_message).toContain('longer than the 600 s');
  });

  it('waits a day when TikTok takes no more posts of the account, and posts then', async () => {
    const { publish, target, fake, service } = lyingService(1, DIRECT);
    const begun = service.world.now();
    const full = Array.from({ length: 15 }, (_, index) => [
      `old-${index}`,
      {
        ...{ account: '000777', number: index, at_ms: begun, kind: 'video', is_direct: true, text: '' },
        ...{ privacy: 'SELF_ONLY', details: {}, done_ms: begun },
      },
    ]);
    Object.assign(fake().state.posts, Object.fromEntries(full));

    await publish({ files: [VIDEO], options: PUBLIC });

    expect(target()).toMatchObject({ status: 'posted', error_message: null });
    const { at_ms = 0 } = Object.values(fake().state.posts).find(({ text }) => text === 'Fresh bread') ?? {};
    expect(at_ms - begun).toBeGreaterThan(19 * 3_600_000);
  });
});

/** What is published while TikTok lies. */
const POSTS: readonly (Draft & { readonly under: typeof DIRECT })[] = [
  { under: DIRECT, files: [VIDEO], options: PUBLIC },
  { under: DIRECT, files: [PHOTO, PHOTO], options: PUBLIC },
  { under: INBOX, files: [VIDEO] },
  { under: INBOX, files: [PHOTO] },
];

// Of an announcement of photos only its answer can tell; a limit in it is TikTok's gate, and believed.
const lies = manyLies((lie, { kind }) => kind === 'send' && lie === 'a limit after taking effect');

it(
  'never makes two posts on TikTok, loses none that is out, and leaves nothing stuck, whatever it answers',
  async () => {
    await forSeeds(60, async (seed) => {
      const post = POSTS[seed % POSTS.length] as (typeof POSTS)[number];
      const isLarge = seed % 40 === 0;
      const { publish } = lyingService(seed, post.under, { lies, isTroubled: seed % 3 === 0 });
      return publish(isLarge ? { ...post, files: [LARGE] } : post);
    });
  },
  60_000 * Number(process.env.RUNS ?? 1),
);
