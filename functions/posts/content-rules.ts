import { rulesOf } from '../channels/platform.ts';
import { lengthIn } from '../channels/text-length.ts';
import {
  deriveTitle,
  hasAngleBrackets,
  tagsLength,
  YOUTUBE_DESCRIPTION_BYTES,
  YOUTUBE_TAGS_LIMIT,
  YOUTUBE_TITLE_LIMIT,
} from '../channels/youtube-text.ts';
import { RequestError } from '../shared/request-error.ts';
import { codePoints } from '../shared/text.ts';
import { type Breach, mediaBreach, type RuledMedia } from './media-rules.ts';
import type { TargetRow } from './post.ts';

/** What the rules look at of a target about to be published. */
export interface Composition {
  readonly target: TargetRow;
  readonly caption: string;
  /** The attached media, in order. */
  readonly media: readonly RuledMedia[];
  /** TikTok: whether the channel posts directly. */
  readonly directPost: boolean;
}

type Rule = (composition: Composition) => Breach | undefined;

const needsMedia: Rule = ({ target, media }) =>
  media.length === 0 && !rulesOf(target.platform).textOnly
    ? { rule: 'media_required', problem: `needs ${rulesOf(target.platform).mediaKinds.join(' or ')} media` }
    : undefined;

const takesKinds: Rule = ({ target, media }) => {
  const { mediaKinds } = rulesOf(target.platform);
  const stray = media.find(({ kind }) => !mediaKinds.includes(kind));
  const problem = `takes ${mediaKinds.join(' or ')}, not ${stray?.kind}`;
  return stray && { rule: 'media_kind', problem, media_id: stray.id };
};

const takesMixedMedia: Rule = ({ target, media }) =>
  new Set(media.map(({ kind }) => kind)).size > 1 && !rulesOf(target.platform).mixedMedia
    ? { rule: 'media_mixed', problem: 'does not take images and videos in one post' }
    : undefined;

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

const filesFit: Rule = ({ target, media }) => mediaBreach(target.platform, media);

/** A delivery must be read twice and sent within a function's 15 minutes. */
const MAX_DELIVERY_BYTES = 6 * 1024 ** 3;

const fitsDelivery: Rule = ({ target, media }) => {
  const bytes = media.reduce((sum, file) => sum + file.bytes, 0);
  if (target.platform !== 'custom_webhook' || bytes <= MAX_DELIVERY_BYTES) return undefined;
  const problem = `takes at most ${MAX_DELIVERY_BYTES} bytes of media in all, got ${bytes}`;
  return { rule: 'media_bytes', problem, limit: MAX_DELIVERY_BYTES };
};

const captionFits: Rule = ({ target, caption }) => {
  const { limit, unit } = rulesOf(target.platform).caption;
  const length = lengthIn(unit, caption);
  return length > limit
    ? { rule: 'caption_length', problem: `takes captions of at most ${limit} ${unit}, got ${length}`, limit }
    : undefined;
};

const youtubeTexts: Rule = ({ target, caption }) => {
  if (target.platform !== 'youtube') return undefined;
  if (hasAngleBrackets(target.title ?? '')) return { rule: 'title', problem: 'takes no < or > in a title' };
  if (hasAngleBrackets(target.description ?? caption)) {
    return { rule: 'description', problem: 'takes no < or > in a description' };
  }
  if (codePoints(target.title ?? '') > YOUTUBE_TITLE_LIMIT) {
    const problem = `takes titles of at most ${YOUTUBE_TITLE_LIMIT} characters`;
    return { rule: 'title_length', problem, limit: YOUTUBE_TITLE_LIMIT };
  }
  return target.title === null && deriveTitle(caption) === ''
    ? { rule: 'title', problem: 'needs a title, and the caption gives none' }
    : undefined;
};

const youtubeLengths: Rule = ({ target: { platform, description, options } }) => {
  if (platform !== 'youtube') return undefined;
  const bytes = Buffer.byteLength(description ?? '', 'utf8');
  if (bytes > YOUTUBE_DESCRIPTION_BYTES) {
    const problem = `takes descriptions of at most ${YOUTUBE_DESCRIPTION_BYTES} bytes (UTF-8), got ${bytes}`;
    return { rule: 'description_length', problem, limit: YOUTUBE_DESCRIPTION_BYTES };
  }
  const length = tagsLength(options?.tags ?? []);
  if (length <= YOUTUBE_TAGS_LIMIT) return undefined;
  const problem = `takes tags of at most ${YOUTUBE_TAGS_LIMIT} characters in all, got ${length}; it counts the commas between them, and 2 more for a tag with a space`;
  return { rule: 'tags_length', problem, limit: YOUTUBE_TAGS_LIMIT };
};

const companyIsPublic: Rule = ({ target: { platform, options } }) =>
  platform === 'linkedin_company' && options?.visibility === 'CONNECTIONS'
    ? { rule: 'visibility', problem: 'is a company’s, which has no connections; its posts are PUBLIC' }
    : undefined;

const tiktokPrivacy: Rule = ({ target, directPost }) =>
  target.platform === 'tiktok' && directPost && target.options?.privacy_level === undefined
    ? { rule: 'privacy_level', problem: 'posts directly, so options.privacy_level is required' }
    : undefined;

const RULES: readonly Rule[] = [
  needsMedia,
  takesKinds,
  takesMixedMedia,
  takesSoMany,
  filesFit,
  fitsDelivery,
  captionFits,
  youtubeTexts,
  youtubeLengths,
  companyIsPublic,
  tiktokPrivacy,
];

/**
 * Refuses what a platform would refuse, before it is scheduled or published: nothing is cut off silently,
 * and nothing is found out only at publishing time.
 *
 * @throws {RequestError} unprocessable, naming channel, rule, limit and media.
 */
export function checkContent(compositions: readonly Composition[]): void {
  for (const composition of compositions) {
    for (const rule of RULES) {
      const breach = rule(composition);
      if (!breach) continue;
      const { channel_id, platform } = composition.target;
      const { rule: name, limit, media_id } = breach;
      throw new RequestError(
        'unprocessable',
        `channel ${channel_id} (${rulesOf(platform).name}) ${breach.problem}; change the post or leave the channel out`,
        {
          details: {
            channel_id,
            platform,
            rule: name,
            ...(limit && { limit }),
            ...(media_id && { media_id }),
          },
        },
      );
    }
  }
}
