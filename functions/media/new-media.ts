import { isoAt, SECOND_MS } from '../shared/clock.ts';
import { RequestError } from '../shared/request-error.ts';
import type { Effect } from '../shared/table/effect.ts';
import { keys } from '../shared/table/keys.ts';
import type { FileType } from './file-type.ts';
import { type MediaRow, mediaItem } from './media.ts';
import type { StoredMedia } from './store-file.ts';
import { KEPT_REGISTERED_MS, type UploadRow } from './upload.ts';

/** A file that is stored for good and waits to be written down as media. */
export interface TakenFile {
  readonly outcome: 'stored';
  readonly upload: UploadRow;
  readonly stored: StoredMedia;
}

/** A file at a URL that looks like media and is to be fetched by a worker. */
export interface ArrivingFile {
  readonly outcome: 'arriving';
  readonly type: FileType;
  /** As announced, or as many as had come; the true number is known when all have. */
  readonly bytes: number;
  readonly filename: string | null;
  readonly sourceUrl: string;
  readonly objectKey: string;
}

interface Made {
  readonly id: string;
  readonly workspaceId: string;
  readonly nowMs: number;
}

/** How long the message to a worker may take before the sweeper sends another. */
export const MESSAGE_GRACE_MS = 60 * SECOND_MS;

/** The row of new media. */
export function newMedia(file: TakenFile | ArrivingFile, { id, workspaceId, nowMs }: Made): MediaRow {
  const facts =
    file.outcome === 'stored'
      ? {
          ...file.stored,
          filename: file.upload.filename,
          object_key: file.upload.object_key,
          status: 'ready' as const,
          source_url: null,
        }
      : {
          kind: file.type.kind,
          mime: file.type.mime,
          bytes: file.bytes,
          etag: null,
          filename: file.filename,
          object_key: file.objectKey,
          status: 'arriving' as const,
          source_url: file.sourceUrl,
        };
  return {
    id,
    workspace_id: workspaceId,
    ...facts,
    failure: null,
    thumbnail_status: 'pending',
    width: null,
    height: null,
    duration_ms: null,
    thumbnails: null,
    posters: [],
    fence: 0,
    created_at: isoAt(nowMs),
  };
}

/** Writes new media; the sweeper looks after it until its file is there and looked into. */
export const putMedia = (media: MediaRow, nowMs: number): Effect => ({
  write: {
    Put: {
      Item: mediaItem(media, isoAt(nowMs + MESSAGE_GRACE_MS)),
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  },
  refused: () => 'read again',
});

/** Notes what an upload has become; from then on its object is that media's, and nobody takes it away. */
export const registerUpload = ({ workspace_id, id }: UploadRow, mediaId: string, nowMs: number): Effect => ({
  write: {
    Update: {
      Key: keys.upload(workspace_id, id),
      UpdateExpression:
        'SET media_id = :media, expires_at_seconds = :expires REMOVE due_shard, wake_at, overdue_since',
      ConditionExpression:
        'attribute_exists(pk) AND attribute_not_exists(media_id) AND attribute_not_exists(is_discarded)',
      ExpressionAttributeValues: {
        ':media': mediaId,
        ':expires': Math.ceil((nowMs + KEPT_REGISTERED_MS) / SECOND_MS),
      },
    },
  },
  refused: (current) =>
    typeof current?.media_id === 'string'
      ? registeredAlready(current.media_id)
      : new RequestError('invalid_request', 'the upload has expired; request a new upload URL'),
});

/** The refusal of an upload that has become media: one upload, one record. */
export const registeredAlready = (mediaId: string): RequestError =>
  new RequestError('conflict', `this upload is registered already, as media ${mediaId}; use that id`, {
    details: { media_id: mediaId },
  });
