import * as v from 'valibot';
import { EnvText, TableEnv } from '../shared/env.ts';

/** The environment of the functions that read posts. */
export const ReadPostsEnv = v.object({ ...TableEnv.entries, REVIEW_URL: EnvText });

/** The environment of the functions that write posts and arrange their publication. */
export const WritePostsEnv = v.object({
  ...ReadPostsEnv.entries,
  UPGRADE_URL: EnvText,
  DUE_QUEUE_URL: EnvText,
  DUE_QUEUE_ARN: EnvText,
  SCHEDULE_GROUP: EnvText,
  SCHEDULER_ROLE_ARN: EnvText,
  FETCH_QUEUE_URL: EnvText,
  /** The address below which media is served; its host is not fetched from. */
  MEDIA_URL: EnvText,
});
