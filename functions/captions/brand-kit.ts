import * as v from 'valibot';
import { strictObject } from '../shared/strict-object.ts';
import { text } from '../shared/text.ts';

const Words = v.optional(v.pipe(v.array(text(1, 100)), v.maxLength(50, 'must have at most 50 entries')), []);

const Hashtag = v.pipe(
  text(2, 100),
  v.regex(/^#[\p{L}\p{M}\p{N}_]+$/u, 'must be a # and then letters, digits or underscores'),
);

/** How a workspace's brand speaks. It is said to the model as data, whole; nothing else of the workspace is. */
export const BrandKit = strictObject({
  voice: text(1, 2000),
  audience: v.optional(text(1, 1000)),
  words_to_use: Words,
  words_to_avoid: Words,
  hashtags: v.optional(v.pipe(v.array(Hashtag), v.maxLength(30, 'must have at most 30 entries')), []),
  emoji_policy: v.optional(v.picklist(['none', 'sparing', 'free']), 'sparing'),
  /** A BCP 47 tag such as `de-AT`. @default captions stay in their own language */
  language: v.optional(
    v.pipe(v.string(), v.check(isLanguageTag, 'must be a BCP 47 language tag, such as en or de-AT')),
  ),
  /** What captions end with. */
  sign_off: v.optional(text(1, 300)),
});
export type BrandKit = v.InferOutput<typeof BrandKit>;

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
