import { describe, expect, it } from 'vitest';
import { PLATFORMS, type Platform } from '../../functions/channels/platform.ts';
import { checkContent } from '../../functions/posts/content-rules.ts';
import { mediaBreach, mediaBreaches, type RuledMedia } from '../../functions/posts/media-rules.ts';
import type { TargetRow } from '../../functions/posts/post.ts';

const IMAGE: RuledMedia = {
  id: 'image-1',
  kind: 'image',
  mime: 'image/png',
  bytes: 12_000_000,
  width: 1080,
  height: 1080,
  duration_ms: null,
  status: 'ready',
};
const VIDEO: RuledMedia = {
  ...IMAGE,
  id: 'video-1',
  kind: 'video',
  mime: 'video/mp4',
  width: 1080,
  height: 1920,
  duration_ms: 20_000,
};

describe('what a platform takes of files', () => {
  it.each(PLATFORMS)('is met by an ordinary image and video on %s', (platform) => {
    for (const media of [[IMAGE], [VIDEO]]) expect(mediaBreach(platform, media)).toBeUndefined();
  });

  it.each<[Platform, Partial<RuledMedia>, string]>([
    ['meta_instagram', { kind: 'image', height: 1350 }, 'nothing'],
    ['meta_instagram', { kind: 'image', height: 1357 }, 'media_ratio'],
    ['meta_instagram', { kind: 'image', width: 1920, height: 1005 }, 'nothing'],
    ['meta_instagram', { kind: 'image', width: 1920, height: 990 }, 'media_ratio'],
    ['meta_instagram', { duration_ms: 2_999 }, 'media_duration'],
    ['meta_instagram', { duration_ms: 900_000 }, 'nothing'],
    ['meta_instagram', { duration_ms: 900_001 }, 'media_duration'],
    ['meta_instagram', { bytes: 300_000_001 }, 'media_bytes'],
    ['meta_instagram', { bytes: 300_000_001, status: 'arriving' }, 'nothing'],
    ['meta_instagram', { mime: 'video/webm' }, 'media_type'],
    ['tiktok', { width: 359 }, 'media_size'],
    ['tiktok', { height: 4097 }, 'media_size'],
    ['linkedin_personal', { bytes: 74_999 }, 'media_bytes'],
    ['linkedin_company', { duration_ms: 1_800_001 }, 'media_duration'],
    ['linkedin_company', { kind: 'image', width: 6100, height: 6100 }, 'media_size'],
    ['meta_instagram', { width: null, height: null, duration_ms: null }, 'nothing'],
    ['custom_webhook', { bytes: 1_000_000_000, duration_ms: 9_000_000 }, 'nothing'],
  ])('is told of %s with %o: %s', (platform, facts, rule) => {
    const media = { ...(facts.kind === 'image' ? IMAGE : VIDEO), ...facts };

    const breach = mediaBreach(platform, [media]);

    expect(breach?.rule ?? 'nothing').toBe(rule);
    if (breach)
      expect(breach).toMatchObject({ media_id: media.id, problem: expect.stringContaining('takes') });
  });

  it('says which file it is, how it should be and how it is', () => {
    const long = { ...VIDEO, id: 'video-2', duration_ms: 1_000_000 };

    expect(mediaBreach('meta_instagram', [VIDEO, long])).toEqual({
      rule: 'media_duration',
      problem: 'takes videos that are at most 900 s long; media video-2 is 1000 s long',
      limit: 900_000,
      media_id: 'video-2',
    });
  });

  it('is told of each file', () => {
    const wide = { ...IMAGE, id: 'image-2', width: 3000 };
    const long = { ...VIDEO, id: 'video-2', duration_ms: 1_000_000 };

    expect(mediaBreaches('meta_instagram', [IMAGE, wide, VIDEO, long])).toMatchObject([
      { rule: 'media_ratio', media_id: 'image-2' },
      { rule: 'media_duration', media_id: 'video-2' },
    ]);
  });

  it('takes one video where a platform has no room for two', () => {
    expect(mediaBreach('meta_facebook', [VIDEO, VIDEO])).toMatchObject({ rule: 'video_count', limit: 1 });
    expect(mediaBreach('meta_instagram', [VIDEO, IMAGE, VIDEO])).toBeUndefined();
  });
});

describe('all files of a delivery together', () => {
  const SIX_GIB = 6 * 1024 ** 3;
  const judge = (platform: Platform, sizes: readonly number[]) => () =>
    checkContent([
      {
        target: { channel_id: 'c1', platform, title: null, description: null, options: null } as TargetRow,
        caption: 'x',
        media: sizes.map((bytes, index) => ({ ...VIDEO, id: `video-${index}`, bytes })),
        directPost: false,
      },
    ]);
  const gigabytes = (count: number) => Array.from({ length: count }, () => 1024 ** 3);

  it('have at most 6 GiB for an endpoint, to the byte, and are refused as unprocessable with both sizes', () => {
    expect(judge('custom_webhook', gigabytes(6))).not.toThrow();
    expect(judge('custom_webhook', [...gigabytes(6), 1])).toThrow(
      expect.objectContaining({
        code: 'unprocessable',
        status: 422,
        message: expect.stringContaining(`at most ${SIX_GIB} bytes of media in all, got ${SIX_GIB + 1}`),
        details: expect.objectContaining({ rule: 'media_bytes', limit: SIX_GIB }),
      }),
    );
  });

  it('are not summed up for a platform, which takes one at a time', () => {
    expect(
      judge(
        'meta_instagram',
        Array.from({ length: 10 }, () => 290_000_000),
      ),
    ).not.toThrow();
  });
});
