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

/** What a platform takes. The rules for posts, `accepts` and the texts of refusals are all read from here. */
export interface PlatformRules {
  readonly name: string;
  readonly textOnly: boolean;
  readonly mediaKinds: readonly MediaKind[];
  /** Images and videos in one post together. */
  readonly mixedMedia: boolean;
  readonly maxMedia: number;
  readonly caption: { readonly limit: number; readonly unit: TextUnit };
  /** The keys of `channels[].options` that have a meaning here. */
  readonly options: readonly string[];
}

/** No client may rely on more than ten media in a post (the service's own limit). */
const MAX_MEDIA = 10;

const linkedin = {
  textOnly: true,
  mediaKinds: MEDIA_KINDS,
  mixedMedia: false,
  maxMedia: MAX_MEDIA,
  caption: { limit: 3000, unit: 'code points' },
  options: ['image_alt_texts', 'visibility', 'reshare_disabled'],
} as const;

/**
 * Sources, by platform: Facebook's limit is what live products use, as its pages give no number;
 * Instagram's `ig-user/media` reference; TikTok's direct-post reference (video title, UTF-16 units);
 * YouTube's `videos` resource (description, bytes); LinkedIn's post schema (commentary).
 */
export const PLATFORM_RULES = {
  meta_facebook: {
    name: 'Facebook',
    textOnly: true,
    mediaKinds: MEDIA_KINDS,
    mixedMedia: false,
    maxMedia: MAX_MEDIA,
    caption: { limit: 63_206, unit: 'code points' },
    options: ['share_to_story', 'image_alt_texts', 'video_title'],
  },
  meta_instagram: {
    name: 'Instagram',
    textOnly: false,
    mediaKinds: MEDIA_KINDS,
    mixedMedia: true,
    maxMedia: MAX_MEDIA,
    caption: { limit: 2200, unit: 'code points' },
    options: ['share_to_story', 'image_alt_texts', 'share_to_feed', 'collaborators'],
  },
  tiktok: {
    name: 'TikTok',
    textOnly: false,
    mediaKinds: MEDIA_KINDS,
    mixedMedia: false,
    maxMedia: MAX_MEDIA,
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
    caption: { limit: 5000, unit: 'code points' },
    options: [],
  },
} as const satisfies Record<Platform, PlatformRules>;

/** A platform's rules, without the literal types of the table. */
export const rulesOf = (platform: Platform): PlatformRules => PLATFORM_RULES[platform];
