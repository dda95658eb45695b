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

function refusalOf(target: Partial<TargetRow>, caption = 'Fresh bread'): Record<string, unknown> | undefined {
  const row = { channel_id: 'c1', title: null, description: null, options: null, ...target } as TargetRow;
  try {
    checkContent([{ target: row, caption, media: [VIDEO], directPost: true }]);
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

it('does not let a company post to its connections', () => {
  const options = { visibility: 'CONNECTIONS' } as const;
  expect(refusalOf({ platform: 'linkedin_company', options })).toMatchObject({ rule: 'visibility' });
  expect(refusalOf({ platform: 'linkedin_personal', options })).toBeUndefined();
});
