/** The platforms a channel may belong to. */
export const PLATFORMS = [
  'meta_facebook',
  'meta_instagram',
  'tiktok',
  'youtube',
  'linkedin_personal',
  'linkedin_company',
  'custom_webhook',
] as const;
export type Platform = (typeof PLATFORMS)[number];

export const MEDIA_KINDS = ['image', 'video'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** How a platform counts the length of a text. */
export type TextUnit = 'code points' | 'UTF-16 units' | 'UTF-8 bytes';

/** What a file must be like. Ratios are width to height; sides in pixels. */
export interface FileLimits {
  readonly mimes?: readonly string[];
  readonly minBytes?: number;
  readonly maxBytes?: number;
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  readonly minRatio?: number;
  readonly maxRatio?: number;
  readonly minSide?: number;
  readonly maxSide?: number;
  readonly maxPixels?: number;
}

/** What a platform takes. The rules for posts, `accepts` and the texts of refusals are all read from here. */
export interface PlatformRules {
  readonly name: string;
  readonly textOnly: boolean;
  readonly mediaKinds: readonly MediaKind[];
  /** Images and videos in one post together. */
  readonly mixedMedia: boolean;
  readonly maxMedia: number;
  /** What an image must be like; sizes in bytes are no matter where images are sent in a form of our making. */
  readonly image?: FileLimits;
  readonly video?: FileLimits & { readonly maxCount: number };
  readonly caption: { readonly limit: number; readonly unit: TextUnit };
  /** The keys of `channels[].options` that have a meaning here. */
  readonly options: readonly string[];
}

/** No client may rely on more than ten media in a post (the service's own limit). */
const MAX_MEDIA = 10;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const MB = 1_000_000;

const linkedin = {
  textOnly: true,
  mediaKinds: MEDIA_KINDS,
  mixedMedia: false,
  maxMedia: MAX_MEDIA,
  image: { maxPixels: 36_152_319 },
  video: {
    maxCount: 1,
    mimes: ['video/mp4'],
    minBytes: 75_000,
    maxBytes: 500 * MB,
    minDurationMs: 3 * SECOND_MS,
    maxDurationMs: 30 * MINUTE_MS,
  },
  caption: { limit: 3000, unit: 'code points' },
  options: ['image_alt_texts', 'visibility', 'reshare_disabled'],
} as const;

/**
 * Sources, by platform: Facebook's limit is what live products use, as its pages give no number, and give
 * none for videos either; Instagram's `ig-user/media` reference; TikTok's direct-post reference (video title,
 * UTF-16 units) and media transfer guide; YouTube's `videos` resource (description, bytes); LinkedIn's post
 * schema (commentary), images and videos APIs. docs/platforms.md says what is not verified.
 */
export const PLATFORM_RULES = {
  meta_facebook: {
    name: 'Facebook',
    textOnly: true,
    mediaKinds: MEDIA_KINDS,
    mixedMedia: false,
    maxMedia: MAX_MEDIA,
    video: { maxCount: 1 },
    caption: { limit: 63_206, unit: 'code points' },
    options: ['share_to_story', 'image_alt_texts', 'video_title'],
  },
  meta_instagram: {
    name: 'Instagram',
    textOnly: false,
    mediaKinds: MEDIA_KINDS,
    mixedMedia: true,
    maxMedia: MAX_MEDIA,
    image: { minRatio: 0.8, maxRatio: 1.91 },
    video: {
      maxCount: MAX_MEDIA,
      mimes: ['video/mp4', 'video/quicktime'],
      maxBytes: 300 * MB,
      minDurationMs: 3 * SECOND_MS,
      maxDurationMs: 15 * MINUTE_MS,
      minRatio: 0.01,
      maxRatio: 10,
    },
    caption: { limit: 2200, unit: 'code points' },
    options: ['share_to_story', 'image_alt_texts', 'share_to_feed', 'collaborators'],
  },
  tiktok: {
    name: 'TikTok',
    textOnly: false,
    mediaKinds: MEDIA_KINDS,
    mixedMedia: false,
    maxMedia: MAX_MEDIA,
    video: {
      maxCount: 1,
      mimes: ['video/mp4', 'video/quicktime', 'video/webm'],
      maxBytes: 4000 * MB,
      minSide: 360,
      maxSide: 4096,
    },
    caption: { limit: 2200, unit: 'UTF-16 units' },
    options: [
      'privacy_level',
      'disable_comment',
      'disable_duet',
      'disable_stitch',
      'commercial_content',
      'brand_organic_toggle',
      'brand_content_toggle',
      'is_aigc',
    ],
  },
  youtube: {
    name: 'YouTube',
    textOnly: false,
    mediaKinds: ['video'],
    mixedMedia: false,
    maxMedia: 1,
    video: { maxCount: 1 },
    caption: { limit: 5000, unit: 'UTF-8 bytes' },
    options: ['privacy_status', 'category_id', 'tags', 'made_for_kids', 'contains_synthetic_media'],
  },
  linkedin_personal: { name: 'LinkedIn', ...linkedin },
  linkedin_company: { name: 'LinkedIn', ...linkedin },
  custom_webhook: {
    name: 'webhook',
    textOnly: true,
    mediaKinds: MEDIA_KINDS,
    mixedMedia: true,
    maxMedia: MAX_MEDIA,
    video: { maxCount: MAX_MEDIA },
    caption: { limit: 5000, unit: 'code points' },
    options: [],
  },
} as const satisfies Record<Platform, PlatformRules>;

/** A platform's rules, without the literal types of the table. */
export const rulesOf = (platform: Platform): PlatformRules => PLATFORM_RULES[platform];
