import * as v from 'valibot';
import { PLATFORMS, type Platform, rulesOf } from '../channels/platform.ts';
import { lengthIn } from '../channels/text-length.ts';
import { deriveTitle, hasAngleBrackets, YOUTUBE_TITLE_LIMIT } from '../channels/youtube-text.ts';
import { codePoints } from '../shared/text.ts';

/** The limit of captions in requests, which holds for variants as well: they are meant to be posted. */
export const CAPTION_LIMIT = 5000;

/** One caption as clients get it. */
export const Variant = v.object({
  platform: v.picklist(PLATFORMS),
  caption: v.pipe(v.string(), v.description('For YouTube equal to the description.')),
  title: v.optional(v.pipe(v.string(), v.description('YouTube only; at most 100 characters.'))),
  description: v.optional(v.pipe(v.string(), v.description('YouTube only.'))),
  character_limit: v.pipe(
    v.number(),
    v.integer(),
    v.description(
      "The platform's limit for captions, in its own unit: UTF-16 units for TikTok, UTF-8 bytes for YouTube, characters (Unicode code points) for others.",
    ),
  ),
  tailored: v.pipe(
    v.boolean(),
    v.description('False where the model gave nothing usable twice: the caption is then the one sent.'),
  ),
});
export type Variant = v.InferOutput<typeof Variant>;

const WrittenVariant = v.object({
  platform: v.picklist(PLATFORMS),
  caption: v.string(),
  title: v.optional(v.string(), ''),
});
/** One caption as the model writes it. */
export type WrittenVariant = v.InferOutput<typeof WrittenVariant>;

const WrittenVariants = v.object({ variants: v.array(v.unknown()) });

/**
 * The shape a model's answer must have. It is the same for every request: Bedrock compiles a schema when it first
 * sees it, which takes up to minutes, and keeps it for a day (user guide, structured output). It has no lengths,
 * which that compiler does not know.
 */
export const WRITTEN_VARIANTS_SCHEMA = {
  type: 'object',
  properties: {
    variants: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          platform: { type: 'string', enum: [...PLATFORMS] },
          caption: { type: 'string' },
          title: { type: 'string', description: 'for youtube; empty for all other platforms' },
        },
        required: ['platform', 'caption', 'title'],
        additionalProperties: false,
      },
    },
  },
  required: ['variants'],
  additionalProperties: false,
};

/** The variants in a model's answer, the first of each platform; undefined when it has not the shape asked for. */
export function writtenVariants(value: unknown): ReadonlyMap<Platform, WrittenVariant> | undefined {
  const read = v.safeParse(WrittenVariants, value);
  if (!read.success) return undefined;
  const variants = read.output.variants.flatMap((each) => {
    const variant = v.safeParse(WrittenVariant, each);
    return variant.success ? [variant.output] : [];
  });
  return new Map(variants.toReversed().map((variant) => [variant.platform, variant]));
}

/** Why a variant cannot be posted as it is, in words for the model; undefined when it can. */
export function problemOf({ platform, caption, title }: WrittenVariant): string | undefined {
  const { limit, unit } = rulesOf(platform).caption;
  const length = lengthIn(unit, caption);
  if (caption.trim() === '') return 'the caption was empty';
  if (!isText(caption) || !isText(title)) return 'it had characters that are no text';
  if (length > limit) return `the caption had ${length} ${unit}, and ${limit} are allowed`;
  if (codePoints(caption) > CAPTION_LIMIT) return `the caption had more than ${CAPTION_LIMIT} characters`;
  if (platform !== 'youtube') return undefined;
  if (title.trim() === '') return 'the title was missing';
  if (codePoints(title) > YOUTUBE_TITLE_LIMIT)
    return `the title had more than ${YOUTUBE_TITLE_LIMIT} characters`;
  return hasAngleBrackets(caption + title) ? 'it had angle brackets' : undefined;
}

/** JSON can carry halves of characters and NUL, which no platform and no later request takes. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** A variant as clients get it: the model's, or without one the caption that was sent, unchanged. */
export function showVariant(
  platform: Platform,
  { written, base }: { written: WrittenVariant | undefined; base: string },
): Variant {
  const caption = written?.caption ?? base;
  const title = written?.title ?? deriveTitle(base);
  return {
    platform,
    caption,
    ...(platform === 'youtube' && { title, description: caption }),
    character_limit: rulesOf(platform).caption.limit,
    tailored: written !== undefined,
  };
}
