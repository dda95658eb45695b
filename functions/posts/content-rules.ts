import { rulesOf } from '../channels/platform.ts';
import { lengthIn } from '../channels/text-length.ts';
import { type Breach, mediaBreaches, type RuledMedia } from './media-rules.ts';
import type { TargetRow } from './post.ts';
import { type PostProblem, refuseFor } from './post-problem.ts';
import { youtubeBreaches } from './youtube-rules.ts';

/** What the rules look at of a target about to be published. */
export interface Composition {
  readonly target: TargetRow;
  readonly caption: string;
  /** The attached media, in order. */
  readonly media: readonly RuledMedia[];
  /** TikTok: whether the channel posts directly. */
  readonly directPost: boolean;
}

/** A rule that is broken, and by which field of the target; by the post's media where none is named. */
interface Found extends Breach {
  readonly field?: 'caption' | 'title' | 'description' | `options.${string}`;
}
type Rule = (composition: Composition) => Found | readonly Found[] | undefined;

const needsMedia: Rule = ({ target, media }) =>
  media.length === 0 && !rulesOf(target.platform).textOnly
    ? { rule: 'media_required', problem: `needs ${rulesOf(target.platform).mediaKinds.join(' or ')} media` }
    : undefined;

const takesKinds: Rule = ({ target, media }) => {
  const { mediaKinds } = rulesOf(target.platform);
  return media
    .filter(({ kind }) => !mediaKinds.includes(kind))
    .map(({ kind, id }) => {
      const problem = `takes ${mediaKinds.join(' or ')}, not ${kind}`;
      return { rule: 'media_kind', problem, media_id: id };
    });
};

const takesMixedMedia: Rule = ({ target, media }) => {
  const { mediaKinds, mixedMedia } = rulesOf(target.platform);
  const isMixed = mediaKinds.every((taken) => media.some(({ kind }) => kind === taken));
  return isMixed && mediaKinds.length > 1 && !mixedMedia
    ? { rule: 'media_mixed', problem: 'does not take images and videos in one post' }
    : undefined;
};

const takesSoMany: Rule = ({ target, media }) => {
  const { maxMedia } = rulesOf(target.platform);
  return media.length > maxMedia
    ? {
        rule: 'media_count',
        problem: `takes at most ${maxMedia} media, got ${media.length}`,
        limit: maxMedia,
      }
    : undefined;
};

const filesFit: Rule = ({ target, media }) => mediaBreaches(target.platform, media);

/** A delivery must be read twice and sent within a function's 15 minutes. */
const MAX_DELIVERY_BYTES = 6 * 1024 ** 3;

const fitsDelivery: Rule = ({ target, media }) => {
  const bytes = media.reduce((sum, file) => sum + file.bytes, 0);
  if (target.platform !== 'custom_webhook' || bytes <= MAX_DELIVERY_BYTES) return undefined;
  const problem = `takes at most ${MAX_DELIVERY_BYTES} bytes of media in all, got ${bytes}`;
  return { rule: 'media_bytes', problem, limit: MAX_DELIVERY_BYTES };
};

/** A text that describes no image would be lost, or come to stand below another image than was meant. */
const altTextsHaveImages: Rule = ({ target, media }) => {
  const texts = target.options?.image_alt_texts?.length ?? 0;
  const images = media.filter(({ kind }) => kind === 'image').length;
  const problem = `has ${texts} image_alt_texts, one for each image in the order of the media, but the post has ${images} image${images === 1 ? '' : 's'}`;
  return texts > images
    ? { rule: 'alt_text_count', problem, limit: images, field: 'options.image_alt_texts' }
    : undefined;
};

const captionFits: Rule = ({ target, caption }) => {
  const { limit, unit } = rulesOf(target.platform).caption;
  const length = lengthIn(unit, caption);
  const problem = `takes captions of at most ${limit} ${unit}, got ${length}`;
  return length > limit ? { rule: 'caption_length', problem, limit, field: 'caption' } : undefined;
};

const youtubeTexts: Rule = ({ target, caption }) =>
  target.platform === 'youtube' ? youtubeBreaches(target, caption) : undefined;

const companyIsPublic: Rule = ({ target: { platform, options } }) =>
  platform === 'linkedin_company' && options?.visibility === 'CONNECTIONS'
    ? {
        rule: 'visibility',
        problem: 'is a company’s, which has no connections; its posts are PUBLIC',
        field: 'options.visibility',
      }
    : undefined;

const tiktokPrivacy: Rule = ({ target, directPost }) =>
  target.platform === 'tiktok' && directPost && target.options?.privacy_level === undefined
    ? {
        rule: 'privacy_level',
        problem: 'posts directly, so options.privacy_level is required',
        field: 'options.privacy_level',
      }
    : undefined;

const RULES: readonly Rule[] = [
  needsMedia,
  takesKinds,
  takesMixedMedia,
  takesSoMany,
  filesFit,
  fitsDelivery,
  altTextsHaveImages,
  captionFits,
  youtubeTexts,
  companyIsPublic,
  tiktokPrivacy,
];

/**
 * Refuses what a platform would refuse, before it is scheduled or published: nothing is cut off silently,
 * and nothing is found out only at publishing time.
 *
 * @throws {RequestError} unprocessable, naming of each problem place, channel, rule, limit and media.
 */
export function checkContent(compositions: readonly Composition[]): void {
  refuseFor(
    compositions.flatMap((composition, index) =>
      RULES.flatMap((rule) => rule(composition) ?? []).map((found) => problemOf(found, composition, index)),
    ),
  );
}

function problemOf(found: Found, composition: Composition, index: number): PostProblem {
  const { rule, problem, limit, media_id } = found;
  const { channel_id, platform } = composition.target;
  return {
    path: `body.${placeOf(found, composition, index)}`,
    message: `channel ${channel_id} (${rulesOf(platform).name}) ${problem}; change the post or leave the channel out`,
    channel_id,
    platform,
    rule,
    ...(limit !== undefined && { limit }),
    ...(media_id !== undefined && { media_id }),
  };
}

function placeOf({ field, media_id }: Found, { target, media }: Composition, index: number): string {
  if (field === 'caption' && target.caption === null) return 'caption';
  if (field !== undefined) return `channels.${index}.${field}`;
  return media_id === undefined ? 'media' : `media.${media.findIndex(({ id }) => id === media_id)}`;
}
