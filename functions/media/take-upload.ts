import * as v from 'valibot';
import type { Clock } from '../shared/clock.ts';
import { RequestError } from '../shared/request-error.ts';
import { type Found, keys } from '../shared/table/keys.ts';
import type { Limits } from '../workspaces/workspace.ts';
import { checkFileSize } from './file-cap.ts';
import { fileTypeOf } from './file-type.ts';
import type { MediaObjects } from './media-objects.ts';
import { registeredAlready, type TakenFile } from './new-media.ts';
import { fileInStore, storeFile } from './store-file.ts';
import { incomingKey, REGISTRABLE_FOR_MS, UploadRow, uploadIdIn } from './upload.ts';

/** Enough to tell what a file is, and for the index of most films that are made to be streamed. */
const PEEKED_BYTES = 64 * 1024;

/** One text for a key that was made up, is another workspace's, or is too old to be known. */
const unknownKey = () =>
  new RequestError(
    'invalid_request',
    'body.key names no upload of this workspace; send the key that POST /media/upload-url gave, unchanged and within a day',
  );

/** The rows a registration must read: the upload its key stands for, if it can stand for one. */
export function uploadRows(key: string, workspaceId: string) {
  const id = uploadIdIn(key, workspaceId);
  return id === undefined ? [] : [keys.upload(workspaceId, id)];
}

/**
 * Stores what was uploaded for good, under a name no URL can write to. Safe to repeat.
 *
 * @throws {RequestError} invalid_request for a key without an upload, or bytes that are not taken;
 * payload_too_large by the real size; conflict when the key has become media already.
 */
export async function takeUpload(
  { key, workspaceId, limits }: { key: string; workspaceId: string; limits: Limits },
  { found, objects, clock }: { found: Found; objects: MediaObjects; clock: Clock },
): Promise<TakenFile> {
  const [rowKey] = uploadRows(key, workspaceId);
  const row = rowKey && found(rowKey);
  if (!row) throw unknownKey();
  const upload = v.parse(UploadRow, row);
  if (upload.media_id !== undefined) throw registeredAlready(upload.media_id);
  if (clock() > Date.parse(upload.created_at) + REGISTRABLE_FOR_MS) throw unknownKey();
  const objectKey = incomingKey(upload);
  const object = await objects.peek(objectKey, PEEKED_BYTES);
  if (!object) {
    throw new RequestError(
      'invalid_request',
      'nothing has been uploaded under body.key yet; PUT the bytes to upload_url first, within its 10 minutes',
    );
  }
  checkFileSize(object.bytes, limits, fileTypeOf(upload.mime));
  const stored = await storeFile(
    fileInStore(objects, { objectKey, ...object }),
    { objectKey: upload.object_key, limits, declared: upload.mime },
    objects,
  );
  return { outcome: 'stored', upload, stored };
}
