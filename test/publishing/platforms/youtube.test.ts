import { describe, expect, it } from 'vitest';
import type { TargetOptions } from '../../../functions/posts/target-options.ts';
import { nextPacificMidnight } from '../../../functions/publishing/platforms/youtube/midnight.ts';
import { youtubePublisher } from '../../../functions/publishing/platforms/youtube/youtube-publisher.ts';
import { fakeYoutube } from '../../../local/platforms/youtube.ts';
import { forSeeds } from '../simulation/seeds.ts';
import { FAKES_URL, lyingService, manyLies, type UnderTest } from './lying-service.ts';

const YOUTUBE: UnderTest<ReturnType<typeof fakeYoutube>> = {
  platform: 'youtube',
  credentials: {
    access_token: 'youtube-000777-a',
    refresh_token: 'refresh-000777-a',
    client_id: 'id',
    client_secret: 'secret',
  },
  fake: (world) => fakeYoutube(world),
  publisher: (needs) =>
    youtubePublisher({
      urls: {
        api: `${FAKES_URL}/youtube/youtube/v3`,
        uploads: `${FAKES_URL}/youtube/upload/youtube/v3`,
        token: `${FAKES_URL}/youtube/token`,
      },
      ...needs,
    }),
  limited: { status: 429, body: { error: { errors: [{ reason: 'rateLimitExceeded' }] } } },
  broken: { status: 503, body: 'Service Unavailable' },
};

const VIDEO = { kind: 'video' } as const;
const LARGE = { kind: 'video', bytes: 20_000_000 } as const;
const MIB = 1024 * 1024;

describe('youtube', () => {
  it('uploads a video with what the post says of it, and a title from its caption', async () => {
    const { publish, target, fake } = lyingService(1, YOUTUBE);
    const options = {
      privacy_status: 'unlisted',
      category_id: '26',
      tags: ['bread', 'sour dough'],
      made_for_kids: false,
      contains_synthetic_media: true,
    } satisfies TargetOptions;

    expect(await publish({ caption: 'Fresh bread\nevery day', files: [VIDEO], options })).toEqual([]);

    expect(target()).toMatchObject({
      status: 'posted',
      external_post_url: `https://www.youtube.com/watch?v=${target()?.external_post_id}`,
      error_message: null,
    });
    expect(Object.values(fake().state.videos)).toMatchObject([
      {
        snippet: {
          title: 'Fresh bread every day',
          description: 'Fresh bread\nevery day',
          tags: ['bread', 'sour dough'],
          categoryId: '26',
        },
        status: {
          privacyStatus: 'unlisted',
          selfDeclaredMadeForKids: false,
          containsSyntheticMedia: true,
        },
      },
    ]);
  });

  it('leaves declarations that were not made to the channel', async () => {
    const { publish, requests } = lyingService(1, YOUTUBE);

    await publish({ files: [VIDEO] });

    expect(JSON.parse(String(requests[0]?.body)).status).toEqual({ privacyStatus: 'public' });
  });

  it('sends pieces of 8 MiB, having stored where', async () => {
    const { publish, requests, target } = lyingService(1, YOUTUBE);

    expect(await publish({ files: [LARGE] })).toEqual([]);

    expect(requests.map(({ method, headers }) => `${method} ${headers['content-range'] ?? ''}`)).toEqual([
      'POST ',
      'PUT bytes */20000000',
      `PUT bytes 0-${8 * MIB - 1}/20000000`,
      `PUT bytes ${8 * MIB}-${16 * MIB - 1}/20000000`,
      `PUT bytes ${16 * MIB}-19999999/20000000`,
    ]);
    expect(target()?.handle).toMatchObject({ session: { uri: expect.stringContaining('upload_id=s1') } });
  });

  it('goes on where YouTube says it stands, when a piece is cut off', async () => {
    let pieces = 0;
    const { publish, requests, target } = lyingService(1, YOUTUBE, {
      lies: (_, { kind }) => (kind === 'upload' && ++pieces === 2 ? 'resets after taking effect' : 'truth'),
    });

    expect(await publish({ files: [LARGE] })).toEqual([]);

    expect(target()?.status).toBe('posted');
    const starts = requests.map(({ headers }) => headers['content-range']);
    expect(starts.filter((range) => range === `bytes ${8 * MIB}-${16 * MIB - 1}/20000000`)).toHaveLength(1);
  });

  it.each([
    'times out after taking effect',
    '500 after taking effect',
    'garbage after taking effect',
  ] as const)('adopts the video when its last piece %s', async (lie) => {
    const { publish, target, fake } = lyingService(1, YOUTUBE, {
      lies: (_, { kind }) => (kind === 'upload' ? lie : 'truth'),
    });

    expect(await publish({ files: [VIDEO] })).toEqual([]);

    expect(target()).toMatchObject({
      status: 'posted',
      external_post_id: Object.keys(fake().state.videos)[0],
    });
  });

  it('looks among the uploads of the channel when the session is gone after the last piece', async () => {
    const made = lyingService(1, YOUTUBE, {
      lies: (_, { kind }) => {
        if (kind !== 'upload') return 'truth';
        made.service.world.after(100, () => {
          made.fake().state.sessions = {};
        });
        return 'resets after taking effect';
      },
    });

    expect(await made.publish({ files: [VIDEO] })).toEqual([]);

    expect(made.target()).toMatchObject({
      status: 'posted',
      external_post_id: Object.keys(made.fake().state.videos)[0],
    });
  });

  it('says when YouTube made a video private that should not be', async () => {
    const { publish, target, fake } = lyingService(1, YOUTUBE);
    fake().state.is_unaudited = true;

    await publish({ files: [VIDEO] });

    expect(target()?.status).toBe('posted');
    expect(target()?.error_message).toContain('made the video private although public was asked for');
  });

  it('waits for midnight in California when the uploads of the day are used up', async () => {
    const { publish, target, fake, service } = lyingService(1, YOUTUBE);
    const begun = service.world.now();
    fake().state.inserts = { '2026-01-03': 100 };

    expect(await publish({ files: [VIDEO] })).toEqual([]);

    expect(target()?.status).toBe('posted');
    const [video] = Object.values(fake().state.videos);
    expect(video?.at_ms).toBeGreaterThanOrEqual(nextPacificMidnight(begun));
    expect(fake().state.inserts).toEqual({ '2026-01-04': 1 });
  });

  it('gives the video its poster, and stays posted when that is refused', async () => {
    const poster = {
      object_key: 'media/p.jpg',
      width: 1280,
      height: 720,
      mime: 'image/jpeg',
      etag: '"p"',
    } as const;
    for (const bytes of [90_000, 0]) {
      const { publish, target, fake } = lyingService(1, YOUTUBE);

      expect(await publish({ files: [{ ...VIDEO, posters: [{ ...poster, bytes }] }] })).toEqual([]);

      expect(target()?.status).toBe('posted');
      expect(Object.values(fake().state.videos)[0]?.thumbnail_bytes).toBe(bytes || undefined);
    }
  });
});

it.each([
  ['2026-01-03T12:00:00Z', '2026-01-04T08:00:00Z'],
  ['2026-07-03T06:59:59Z', '2026-07-03T07:00:00Z'],
  ['2026-07-03T07:00:00Z', '2026-07-04T07:00:00Z'],
  // The clocks go forward on this day, and back on the other.
  ['2026-03-08T09:00:00Z', '2026-03-09T07:00:00Z'],
  ['2026-11-01T08:00:00Z', '2026-11-02T08:00:00Z'],
])('after %s, midnight in California comes at %s', (now, midnight) => {
  expect(new Date(nextPacificMidnight(Date.parse(now)))).toEqual(new Date(midnight));
});

it(
  'never makes two videos of one, loses none that is out, and leaves nothing stuck, whatever YouTube answers',
  async () => {
    await forSeeds(40, async (seed) => {
      const { publish } = lyingService(seed, YOUTUBE, { lies: manyLies(), isTroubled: seed % 3 === 0 });
      return publish({ files: [seed % 20 === 0 ? LARGE : VIDEO] });
    });
  },
  60_000 * Number(process.env.RUNS ?? 1),
);
