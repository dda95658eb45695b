import { describe, expect, it } from 'vitest';
import { deriveTitle, tagsLength } from '../../functions/channels/youtube-text.ts';
import { checkContent } from '../../functions/posts/content-rules.ts';
import type { RuledMedia } from '../../functions/posts/media-rules.ts';
import type { TargetRow } from '../../functions/posts/post.ts';

const VIDEO: RuledMedia = {
  id: 'm1',
  kind: 'video',
  mime: 'video/mp4',
  bytes: 1_000_000,
  status: 'ready',
  width: 1080,
  height: 1920,
  duration_ms: 20_000,
};

const IMAGE: RuledMedia = {
  ...VIDEO,
  id: 'm2',
  kind: 'image',
  mime: 'image/png',
  height: 1080,
  duration_ms: null,
};

function refusalOf(
  target: Partial<TargetRow>,
  caption = 'Fresh bread',
  media: readonly RuledMedia[] = [VIDEO],
): Record<string, unknown> | undefined {
  const row = { channel_id: 'c1', title: null, description: null, options: null, ...target } as TargetRow;
  return refusalFrom(() => checkContent([{ target: row, caption, media, directPost: true }]));
}

function refusalFrom(check: () => void): Record<string, unknown> | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as { details: Record<string, unknown> }).details;
  }
}

describe('before a post is taken for YouTube', () => {
  it('counts a description in bytes', () => {
    expect(refusalOf({ platform: 'youtube', description: 'é'.repeat(2500) })).toBeUndefined();
    expect(refusalOf({ platform: 'youtube', description: 'é'.repeat(2501) })).toMatchObject({
      rule: 'description_length',
      limit: 5000,
    });
  });

  it('counts tags with the commas between them and the quotes around those with a space', () => {
    expect(tagsLength(['bread', 'sour dough'])).toBe(5 + 1 + 10 + 2);
    expect(tagsLength([])).toBe(0);
    const tags = Array.from({ length: 50 }, () => '123456789');
    expect(refusalOf({ platform: 'youtube', options: { tags } })).toBeUndefined();
    expect(
      refusalOf({ platform: 'youtube', options: { tags: [...tags.slice(1), '1234 6789'] } }),
    ).toMatchObject({
      rule: 'tags_length',
      limit: 500,
    });
  });

  it('derives a title of at most 100 characters on one line, without what titles refuse', () => {
    expect(deriveTitle(' Fresh <b>bread</b>\n\n every  day ')).toBe('Fresh bbread/b every day');
    expect([...deriveTitle('🍞'.repeat(150))]).toHaveLength(100);
  });
});

describe('texts for images', () => {
  const refusalFor = (count: number, media: readonly RuledMedia[]) =>
    refusalOf(
      { platform: 'meta_instagram', options: { image_alt_texts: Array(count).fill('x') } },
      undefined,
      media,
    );

  it.each<[string, number, readonly RuledMedia[]]>([
    ['as many as there are images', 2, [IMAGE, IMAGE]],
    ['fewer', 1, [IMAGE, IMAGE]],
    ['none', 0, [VIDEO]],
    ['one for each image among videos', 2, [VIDEO, IMAGE, VIDEO, IMAGE]],
    ['one for an image that is still on its way', 1, [{ ...IMAGE, status: 'arriving', width: null }]],
  ])('are taken: %s', (_, count, media) => {
    expect(refusalFor(count, media)).toBeUndefined();
  });

  it.each<[string, number, readonly RuledMedia[]]>([
    ['than images', 3, [IMAGE, IMAGE]],
    ['than images, though not than media', 2, [VIDEO, IMAGE]],
    ['than the none there are', 1, [VIDEO]],
  ])('are refused when there are more %s', (_, count, media) => {
    expect(refusalFor(count, media)).toMatchObject({
      path: 'body.channels.0.options.image_alt_texts',
      channel_id: 'c1',
      rule: 'alt_text_count',
      limit: media.filter(({ kind }) => kind === 'image').length,
    });
  });
});

it('tells all that is wrong, of every channel, each at its place', () => {
  const target = (channel_id: string, more: Partial<TargetRow>) =>
    ({ channel_id, caption: null, title: null, description: null, options: null, ...more }) as TargetRow;
  const long = 'x'.repeat(2300);
  const compositions = [
    target('c1', { platform: 'custom_webhook' }),
    target('c2', { platform: 'youtube', title: '<>', description: '<>', options: { tags: ['<'] } }),
    target('c3', { platform: 'tiktok' }),
    target('c4', { platform: 'meta_instagram', caption: long }),
  ].map((row) => ({ target: row, caption: row.caption ?? long, media: [VIDEO, IMAGE], directPost: true }));

  const check = () => checkContent(compositions);

  expect(check).toThrow('channel c2 (YouTube) takes video, not image; change the post');
  const { issues, ...first } = refusalFrom(check) ?? {};
  expect(first).toEqual({
    path: 'body.media.1',
    channel_id: 'c2',
    platform: 'youtube',
    rule: 'media_kind',
    media_id: 'm2',
  });
  expect(issues).toContainEqual({ ...first, message: expect.stringContaining('takes video, not image') });
  expect((issues as { path: string; rule: string }[]).map(({ path, rule }) => `${path} ${rule}`)).toEqual([
    'body.media.1 media_kind',
    'body.media media_count',
    'body.channels.1.title title',
    'body.channels.1.description description',
    'body.media media_mixed',
    'body.caption caption_length',
    'body.channels.2.options.privacy_level privacy_level',
    'body.channels.3.caption caption_length',
  ]);
});

it('does not let a company post to its connections', () => {
  const options = { visibility: 'CONNECTIONS' } as const;
  expect(refusalOf({ platform: 'linkedin_company', options })).toMatchObject({ rule: 'visibility' });
  expect(refusalOf({ platform: 'linkedin_personal', options })).toBeUndefined();
});
