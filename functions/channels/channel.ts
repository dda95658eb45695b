import * as v from 'valibot';
import { type FileLimits, MEDIA_KINDS, PLATFORMS, rulesOf } from './platform.ts';

export const CHANNEL_STATUSES = ['active', 'expired', 'revoked', 'disconnected'] as const;

/** The row of a connected account. Its credentials are ciphertext, bound to workspace and channel. */
export const ChannelRow = v.object({
  id: v.string(),
  workspace_id: v.string(),
  platform: v.picklist(PLATFORMS),
  display_name: v.string(),
  avatar_url: v.nullable(v.string()),
  status: v.picklist(CHANNEL_STATUSES),
  /** Why it is no longer active, for its owner. */
  status_reason: v.optional(v.string()),
  business_id: v.string(),
  business_name: v.string(),
  /** TikTok: posts go out directly (true) or into the user's inbox (false). */
  direct_post: v.optional(v.boolean()),
  /** KMS ciphertext of the JSON of its credentials. */
  credentials: v.optional(v.instance(Uint8Array)),
  /** Where a webhook delivers to. An address is no secret, but only its owner's workspace sees it. */
  webhook_url: v.optional(v.string()),
  /** Hours after its first attempt in which a delivery is still repeated, 1 to 76. @default 76 */
  retry_hours: v.optional(v.number()),
  /** Raised by every worker that renews the credentials; see `freshCredentials`. */
  token_fence: v.optional(v.number()),
  token_lease_until: v.optional(v.string()),
  /** Which target is being published, and until when at most; one at a time, see `takeTurn`. */
  turn_of: v.optional(v.string()),
  turn_until: v.optional(v.string()),
  /** The platform asked for no calls until then. */
  paused_until: v.optional(v.string()),
  created_at: v.string(),
});
export type ChannelRow = v.InferOutput<typeof ChannelRow>;

const Limit = v.optional(v.pipe(v.number(), v.integer()));
const Ratio = v.optional(v.pipe(v.number(), v.description('Width to height.')));

const AcceptedFile = v.object({
  mimes: v.optional(v.array(v.string())),
  min_bytes: Limit,
  max_bytes: Limit,
  min_duration_ms: Limit,
  max_duration_ms: Limit,
  min_ratio: Ratio,
  max_ratio: Ratio,
  min_side: Limit,
  max_side: Limit,
  max_pixels: Limit,
});

const Accepts = v.object({
  text_only: v.pipe(v.boolean(), v.description('Whether a post without media can be published here.')),
  media_kinds: v.array(v.picklist(MEDIA_KINDS)),
  max_media: v.pipe(v.number(), v.integer()),
  max_videos: v.pipe(v.number(), v.integer(), v.description('Of these at most so many videos.')),
  image: v.pipe(
    AcceptedFile,
    v.description(
      'What an image must be like; one in another form is turned into the one the platform takes.',
    ),
  ),
  video: v.pipe(AcceptedFile, v.description('What a video must be like.')),
  caption_limit: v.pipe(v.number(), v.integer(), v.description('In the unit the platform counts in.')),
  options: v.pipe(v.array(v.string()), v.description('The keys of channels[].options this channel takes.')),
  direct_post: v.pipe(
    v.optional(v.boolean()),
    v.description('TikTok only: whether posts go out directly; otherwise into the inbox of the TikTok app.'),
  ),
});

/** A channel as clients see it. */
export const Channel = v.object({
  id: v.pipe(v.string(), v.uuid()),
  platform: v.picklist(PLATFORMS),
  display_name: v.string(),
  avatar_url: v.nullable(v.string()),
  status: v.picklist(CHANNEL_STATUSES),
  business_id: v.pipe(v.string(), v.uuid()),
  business_name: v.string(),
  accepts: Accepts,
});
export type Channel = v.InferOutput<typeof Channel>;

/** Shows a channel: what it is and what it takes, nothing of its credentials or address. */
export function showChannel(row: ChannelRow): Channel {
  const rules = rulesOf(row.platform);
  return {
    id: row.id,
    platform: row.platform,
    display_name: row.display_name,
    avatar_url: row.avatar_url,
    status: row.status,
    business_id: row.business_id,
    business_name: row.business_name,
    accepts: {
      text_only: rules.textOnly,
      media_kinds: [...rules.mediaKinds],
      max_media: rules.maxMedia,
      max_videos: rules.video?.maxCount ?? 0,
      image: acceptedFile(rules.image),
      video: acceptedFile(rules.video),
      caption_limit: rules.caption.limit,
      options: [...rules.options],
      ...(row.platform === 'tiktok' && { direct_post: row.direct_post ?? false }),
    },
  };
}

/** The limits there are, as clients see them. */
function acceptedFile(limits: FileLimits = {}): v.InferOutput<typeof AcceptedFile> {
  const shown = {
    mimes: limits.mimes && [...limits.mimes],
    min_bytes: limits.minBytes,
    max_bytes: limits.maxBytes,
    min_duration_ms: limits.minDurationMs,
    max_duration_ms: limits.maxDurationMs,
    min_ratio: limits.minRatio,
    max_ratio: limits.maxRatio,
    min_side: limits.minSide,
    max_side: limits.maxSide,
    max_pixels: limits.maxPixels,
  };
  return Object.fromEntries(Object.entries(shown).filter(([, limit]) => limit !== undefined));
}
