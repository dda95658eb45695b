import * as v from 'valibot';
import type { Call } from '../access/endpoint.ts';
import { type Clock, isoAt, SECOND_MS } from '../shared/clock.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { RequestError } from '../shared/request-error.ts';
import { strictObject } from '../shared/strict-object.ts';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { text } from '../shared/text.ts';
import { WorkspaceRow } from '../workspaces/workspace.ts';
import { checkFileSize } from './file-cap.ts';
import { fileTypeOf, TAKEN_TYPES } from './file-type.ts';
import { filenameOf, MAX_FILENAME_LENGTH } from './filename.ts';
import type { MediaObjects } from './media-objects.ts';
import { incomingKey, originalKey, UPLOAD_URL_LIFETIME_MS, uploadItem } from './upload.ts';

const UploadUrlRequest = strictObject({
  filename: v.pipe(
    text(1, MAX_FILENAME_LENGTH),
    v.description('The name the media keeps; of a path, its last part.'),
  ),
  content_type: v.pipe(
    text(1, 255),
    v.description('The type the bytes are, and the Content-Type they must be sent with.'),
  ),
  size: v.pipe(
    v.number(),
    v.safeInteger('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.description('How many bytes will be sent.'),
  ),
});

export const createUploadUrlOperation = defineOperation({
  id: 'createUploadUrl',
  method: 'POST',
  path: '/media/upload-url',
  tag: 'Media',
  summary: 'Get a URL to upload a file to',
  description:
    'PUT the bytes to `upload_url` with exactly this type and size, then register them with POST /media and `key`. A file may have what the plan allows, an image at most 100 MiB. What is not registered disappears within a day.',
  scope: 'posts:write',
  idempotent: false,
  body: UploadUrlRequest,
  success: {
    status: 200,
    description: 'Where to send the bytes.',
    schema: v.object({
      upload_url: v.pipe(v.string(), v.url()),
      key: v.string(),
      expires_in: v.pipe(v.number(), v.integer(), v.description('Seconds.')),
    }),
  },
  refusals: [400, 413],
});

interface Needs {
  readonly table: ServiceTable;
  readonly objects: MediaObjects;
  readonly clock: Clock;
  readonly newUploadId: () => string;
}

/**
 * Gives a URL that takes one file of exactly this type and size. The upload is written down before the URL
 * exists, so that its bytes are never unaccounted for.
 *
 * @throws {RequestError} invalid_request for a type that is not taken; payload_too_large.
 */
export async function createUploadUrl(
  { caller, body }: Call<unknown, unknown, v.InferOutput<typeof UploadUrlRequest>>,
  { table, objects, clock, newUploadId }: Needs,
): Promise<{ upload_url: string; key: string; expires_in: number }> {
  const { workspaceId } = caller;
  const type = fileTypeOf(body.content_type);
  if (!type) {
    throw new RequestError('invalid_request', `body.content_type must be one of ${TAKEN_TYPES}`);
  }
  const workspaceKey = keys.workspace(workspaceId);
  const { limits } = v.parse(WorkspaceRow, (await table.get([workspaceKey])).get(nameOf(workspaceKey)));
  checkFileSize(body.size, limits, type);

  const nowMs = clock();
  const id = newUploadId();
  const upload = {
    id,
    workspace_id: workspaceId,
    filename: filenameOf(body.filename),
    mime: type.mime,
    bytes: body.size,
    object_key: originalKey(workspaceId, id, type),
    created_at: isoAt(nowMs),
  };
  await table.commit([{ Put: { Item: uploadItem(upload, nowMs) } }]);
  const expiresInSeconds = UPLOAD_URL_LIFETIME_MS / SECOND_MS;
  const objectKey = incomingKey(upload);
  const upload_url = await objects.uploadUrl({
    objectKey,
    // As the client wrote it: it must be sent in exactly these words.
    mime: body.content_type,
    bytes: body.size,
    expiresInSeconds,
  });
  return { upload_url, key: objectKey, expires_in: expiresInSeconds };
}
