import * as v from 'valibot';
import { type Platform, rulesOf } from '../channels/platform.ts';
import { strictObject } from '../shared/strict-object.ts';
import { codePoints, text } from '../shared/text.ts';
import type { PostProblem } from './post-problem.ts';

const MAX_TAGS = 50;
const MAX_TAGS_TOTAL = 500;

const Tags = v.pipe(
  v.array(text(1, 100)),
  v.maxLength(MAX_TAGS, `must have at most ${MAX_TAGS} tags`),
  v.check(
    (tags) => tags.reduce((sum, tag) => sum + codePoints(tag), 0) <= MAX_TAGS_TOTAL,
    `must have at most ${MAX_TAGS_TOTAL} characters in all tags together`,
  ),
);

/**
 * All options of all platforms, with the limits of each. An unknown key is refused here; which platform
 * takes which key is in the platforms' own table.
 */
export const TargetOptions = strictObject({
  privacy_status: v.optional(v.picklist(['public', 'unlisted', 'private'])),
  category_id: v.optional(v.pipe(v.string(), v.regex(/^\d{1,10}$/, 'must be a numeric category id'))),
  tags: v.optional(Tags),
  made_for_kids: v.optional(v.boolean()),
  contains_synthetic_media: v.optional(v.boolean()),
  share_to_story: v.optional(v.boolean()),
  image_alt_texts: v.optional(
    v.pipe(
      v.array(text(0, 1000)),
      v.maxLength(10, 'must have at most 10 alt texts'),
      v.description('One for each attached image, in the order of the media.'),
    ),
  ),
  share_to_feed: v.optional(v.boolean()),
  collaborators: v.optional(
    v.pipe(v.array(text(1, 60)), v.maxLength(3, 'must name at most 3 collaborators')),
  ),
  video_title: v.optional(text(1, 255)),
  privacy_level: v.optional(
    v.picklist(['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY']),
  ),
  disable_comment: v.optional(v.boolean()),
  disable_duet: v.optional(v.boolean()),
  disable_stitch: v.optional(v.boolean()),
  commercial_content: v.optional(v.boolean()),
  brand_organic_toggle: v.optional(v.boolean()),
  brand_content_toggle: v.optional(v.boolean()),
  is_aigc: v.optional(v.boolean()),
  visibility: v.optional(v.picklist(['PUBLIC', 'CONNECTIONS'])),
  reshare_disabled: v.optional(v.boolean()),
});
export type TargetOptions = v.InferOutput<typeof TargetOptions>;

/**
 * What is wrong with options that a platform does not take, or that contradict each other; of drafts too, since
 * no later edit of the post elsewhere could make them meaningful.
 *
 * @param where the target's place in the body: `channels.0`.
 */
export function optionProblems(options: TargetOptions, platform: Platform, where: string): PostProblem[] {
  const { name, options: taken } = rulesOf(platform);
  const takes = taken.length > 0 ? `it takes ${taken.join(', ')}` : 'it takes no options';
  const stray = Object.keys(options)
    .filter((option) => !taken.includes(option))
    .map((option) => ({
      path: `body.${where}.options.${option}`,
      message: `${where}.options.${option} has no meaning on this ${name} channel (${platform}); ${takes}`,
      platform,
      accepts: taken,
    }));
  const contradictions = CONTRADICTIONS.filter(({ isIn }) => isIn(options)).map(({ option, message }) => ({
    path: `body.${where}.options.${option}`,
    message: `${where}.options${message}`,
    platform,
  }));
  // What an option has to agree with matters only where it has a meaning.
  return stray.length > 0 ? stray : contradictions;
}

interface Contradiction {
  readonly option: keyof TargetOptions;
  readonly isIn: (options: TargetOptions) => boolean | undefined;
  readonly message: string;
}

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    option: 'commercial_content',
    isIn: ({ commercial_content, brand_organic_toggle, brand_content_toggle }) =>
      commercial_content && !brand_organic_toggle && !brand_content_toggle,
    message: '.commercial_content needs brand_organic_toggle or brand_content_toggle to be true as well',
  },
  {
    option: 'privacy_level',
    isIn: ({ brand_content_toggle, privacy_level }) => brand_content_toggle && privacy_level === 'SELF_ONLY',
    message: ': branded content cannot be private; change privacy_level or brand_content_toggle',
  },
];
