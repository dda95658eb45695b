import * as v from 'valibot';
import { DAY_MS, HOUR_MS, isoAt, MINUTE_MS } from '../shared/clock.ts';
import { dueAt } from '../shared/table/indexes.ts';
import { keys, type Row } from '../shared/table/keys.ts';
import type { FileType } from './file-type.ts';

/**
 * The row of an upload: bytes on their way to become media. It names the objects before they are written, so
 * that none stays behind unknown when a request is cut off; `discardUpload` takes them away after a day.
 */
export const UploadRow = v.object({
  /** 128 random bits in hex: part of both objects' names, so that neither can be guessed. */
  id: v.string(),
  workspace_id: v.string(),
  filename: v.nullable(v.string()),
  mime: v.string(),
  bytes: v.number(),
  /** Where the bytes lie for good once they are registered. */
  object_key: v.string(),
  /** The media it has become. */
  media_id: v.optional(v.string()),
  /** Set before its objects are taken away: from then on it cannot become media. */
  is_discarded: v.optional(v.boolean()),
  created_at: v.string(),
});
export type UploadRow = v.InferOutput<typeof UploadRow>;

/** How long a presigned URL may be used. */
export const UPLOAD_URL_LIFETIME_MS = 10 * MINUTE_MS;

/** Until when an upload can be registered; well before anything of it is taken away. */
export const REGISTRABLE_FOR_MS = 24 * HOUR_MS;

/** When what was never registered is taken away; its object under incoming/ expires by the bucket's own rule. */
const KEPT_UNREGISTERED_MS = 25 * HOUR_MS;

/** How long it is known what an upload has become. */
export const KEPT_REGISTERED_MS = 30 * DAY_MS;

/** Where a client's URL may write; nothing is served from here. */
export const incomingKey = ({ workspace_id, id }: Pick<UploadRow, 'workspace_id' | 'id'>): string =>
  `incoming/${workspace_id}/${id}`;

/** The upload a key stands for, if it is one of this workspace's form; whether it exists the table knows. */
export const uploadIdIn = (key: string, workspaceId: string): string | undefined =>
  new RegExp(`^incoming/${workspaceId}/([0-9a-f]{32})$`).exec(key)?.[1];

/** Where an original is served from; its thumbnails lie beside it. */
export const originalKey = (workspaceId: string, id: string, { extension }: FileType): string =>
  `media/${workspaceId}/${id}/original.${extension}`;

/** A new upload's row as it is written. */
export const uploadItem = (upload: UploadRow, nowMs: number): Row => ({
  ...keys.upload(upload.workspace_id, upload.id),
  ...upload,
  ...dueAt(upload.id, isoAt(nowMs + KEPT_UNREGISTERED_MS)),
});
