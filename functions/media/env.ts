import * as v from 'valibot';
import { EnvText, TableEnv } from '../shared/env.ts';

/** The environment of the functions that show media. */
export const ReadMediaEnv = v.object({
  ...TableEnv.entries,
  /** The address below which media is served, without a slash at its end. */
  MEDIA_URL: EnvText,
});

/** The environment of create-upload-url. */
export const UploadUrlEnv = v.object({ ...TableEnv.entries, MEDIA_BUCKET: EnvText });

/** The environment of create-media. */
export const CreateMediaEnv = v.object({
  ...ReadMediaEnv.entries,
  MEDIA_BUCKET: EnvText,
  FETCH_QUEUE_URL: EnvText,
  PROCESS_QUEUE_URL: EnvText,
});

/** The environment of fetch-media. */
export const FetchMediaEnv = v.object({
  ...ReadMediaEnv.entries,
  MEDIA_BUCKET: EnvText,
  PROCESS_QUEUE_URL: EnvText,
});

/** The environment of process-media. */
export const ProcessMediaEnv = v.object({ ...TableEnv.entries, MEDIA_BUCKET: EnvText });
