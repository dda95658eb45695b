import * as v from 'valibot';
import { EnvText, TableEnv } from '../shared/env.ts';

/** The environment of start-post. */
export const StartPostEnv = v.object({
  ...TableEnv.entries,
  DUE_QUEUE_URL: EnvText,
  PUBLISH_QUEUE_URL: EnvText,
});

/**
 * Where the platforms' APIs are, without a slash at the end; versions are part of the address, or a header
 * of their own. The local service has its own platforms.
 */
export const PlatformApis = v.object({
  FACEBOOK_API_URL: EnvText,
  INSTAGRAM_API_URL: EnvText,
  TIKTOK_API_URL: EnvText,
  YOUTUBE_API_URL: EnvText,
  GOOGLE_TOKEN_URL: EnvText,
  LINKEDIN_API_URL: EnvText,
  LINKEDIN_API_VERSION: EnvText,
  LINKEDIN_TOKEN_URL: EnvText,
});

/** The environment of publish-target. */
export const PublishTargetEnv = v.object({
  ...PlatformApis.entries,
  ...TableEnv.entries,
  PUBLISH_QUEUE_URL: EnvText,
  CREDENTIALS_KEY_ARN: EnvText,
  MEDIA_BUCKET: EnvText,
  /** The address below which media is served, without a slash at its end. */
  MEDIA_URL: EnvText,
  /** Set by the local service alone: webhooks and platforms may be at loopback addresses, over plain http. */
  LOOPBACK_WEBHOOKS: v.optional(v.literal('allowed')),
});

/** The environment of the sweeper. */
export const SweepEnv = v.object({
  ...TableEnv.entries,
  DUE_QUEUE_URL: EnvText,
  PUBLISH_QUEUE_URL: EnvText,
  FETCH_QUEUE_URL: EnvText,
  PROCESS_QUEUE_URL: EnvText,
});
