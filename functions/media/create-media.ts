import * as v from 'valibot';
import type { WriteCall } from '../access/endpoint.ts';
import type { Clock } from '../shared/clock.ts';
import { type HttpReply, jsonReply } from '../shared/http/http-handler.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { writeOnce } from '../shared/idempotency/write-once.ts';
import type { NewId } from '../shared/ids.ts';
import type { Queue } from '../shared/queues/queue.ts';
import { strictObject } from '../shared/strict-object.ts';
import { type Found, keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { WorkspaceRow } from '../workspaces/workspace.ts';
import type { FormFile } from './form-file.ts';
import { CreatedMedia, showCreatedMedia } from './media.ts';
import type { FetchMessage, ProcessMessage } from './media-messages.ts';
import type { MediaObjects } from './media-objects.ts';
import { type ArrivingFile, newMedia, putMedia, registerUpload, type TakenFile } from './new-media.ts';
import { takeForm } from './take-form.ts';
import { takeUpload, uploadRows } from './take-upload.ts';
import { takeUrl, type UrlNeeds } from './take-url.ts';

const CreateMediaRequest = v.pipe(
  strictObject({
    url: v.optional(v.pipe(v.string(), v.description('A public HTTPS URL the service fetches.'))),
    key: v.optional(v.pipe(v.string(), v.description('An upload by the key of POST /media/upload-url.'))),
  }),
  v.check(
    ({ url, key }) => (url === undefined) !== (key === undefined),
    ({ input }) =>
      input.url === undefined
        ? 'must have a url, or a key of POST /media/upload-url'
        : 'has both a url and a key; send one of them',
  ),
);
type CreateMediaRequest = v.InferOutput<typeof CreateMediaRequest>;

export const createMediaOperation = defineOperation({
  id: 'createMedia',
  method: 'POST',
  path: '/media',
  tag: 'Media',
  summary: 'Add media',
  description:
    'From a URL the service fetches (within 5 minutes; a long transfer goes on after the answer), from an upload by its key, or from the part `file` of a multipart/form-data body of up to 16 MB. A file may have what the plan allows, at most 1 GB; an image at most 100 MiB on any plan. Metadata that tells of place, device or person is taken out, with the tracks of a film that are neither seen nor heard.',
  scope: 'posts:write',
  idempotent: true,
  body: CreateMediaRequest,
  formFile: 'The image or video itself; the whole form may have 16 MB.',
  success: { status: 201, description: 'The media; its thumbnails follow.', schema: CreatedMedia },
  refusals: [400, 409, 413],
});

/** What comes in: a URL or a key, or a form with the file itself. */
export type CreateMediaCall = WriteCall<unknown, unknown, CreateMediaRequest | FormFile>;

interface Needs extends UrlNeeds {
  readonly table: ServiceTable;
  readonly objects: MediaObjects;
  readonly fetchQueue: Queue<FetchMessage>;
  readonly processQueue: Queue<ProcessMessage>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly mediaUrl: string;
}

/**
 * Adds media to the caller's workspace. Safe to repeat by its Idempotency-Key: the file is stored before the
 * commit, and what a lost request leaves behind is taken away within a day.
 *
 * @throws {RequestError} invalid_request, payload_too_large, conflict, idempotency_conflict.
 */
export function createMedia({ caller, body, request }: CreateMediaCall, needs: Needs): Promise<HttpReply> {
  const { workspaceId } = caller;
  const { table, clock, newId, mediaUrl } = needs;
  const workspaceKey = keys.workspace(workspaceId);
  const key = 'key' in body ? body.key : undefined;
  const reads = [workspaceKey, ...(key === undefined ? [] : uploadRows(key, workspaceId))];
  const prepare = (found: Found): Promise<TakenFile | ArrivingFile> => {
    const { limits } = v.parse(WorkspaceRow, found(workspaceKey));
    if ('content' in body) return takeForm(body, { workspaceId, limits }, needs);
    if (key !== undefined) return takeUpload({ key, workspaceId, limits }, { found, ...needs });
    return takeUrl({ url: body.url ?? '', workspaceId, limits, where: 'body.url' }, needs);
  };
  return writeOnce({
    table,
    clock,
    request,
    reads,
    prepare,
    decide: (_found, nowMs, file) => {
      const media = newMedia(file, { id: newId(nowMs), workspaceId, nowMs });
      const message = { body: { workspace_id: workspaceId, media_id: media.id } };
      return {
        reply: jsonReply(createMediaOperation.success.status, showCreatedMedia(media, mediaUrl)),
        effects: [
          putMedia(media, nowMs),
          ...(file.outcome === 'stored' ? [registerUpload(file.upload, media.id, nowMs)] : []),
        ],
        afterCommit: () =>
          file.outcome === 'stored' ? needs.processQueue.send(message) : needs.fetchQueue.send(message),
      };
    },
  });
}
