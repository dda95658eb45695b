import * as v from 'valibot';
import { EnvText, TableEnv } from '../shared/env.ts';

/** The environment of start-post. */
export const StartPostEnv = v.object({
  ...TableEnv.entries,
  DUE_QUEUE_URL: EnvText,
  PUBLISH_QUEUE_URL: EnvText,
});

/** The environment of publish-target. */
export const PublishTargetEnv = v.object({
  ...TableEnv.entries,
  PUBLISH_QUEUE_URL: EnvText,
  CREDENTIALS_KEY_ARN: EnvText,
  MEDIA_BUCKET: EnvText,
  /** Set by the local service alone: lets webhooks go to loopback addresses over plain http. */
  LOOPBACK_WEBHOOKS: v.optional(v.literal('allowed')),
});

/** The environment of the sweeper. */
export const SweepEnv = v.object({
  ...TableEnv.entries,
  DUE_QUEUE_URL: EnvText,
  PUBLISH_QUEUE_URL: EnvText,
});
