import { randomUUID } from 'node:crypto';
import type { Caller } from '../../functions/access/authenticate.ts';
import { type CreateMediaCall, createMedia } from '../../functions/media/create-media.ts';
import { createUploadUrl } from '../../functions/media/create-upload-url.ts';
import { discardUpload } from '../../functions/media/discard-upload.ts';
import { fetchMedia } from '../../functions/media/fetch-media.ts';
import { mediaStore } from '../../functions/media/media-store.ts';
import { mediaWork } from '../../functions/media/media-work.ts';
import { newUploadId } from '../../functions/media/new-upload-id.ts';
import type { GetUrl } from '../../functions/media/open-url.ts';
import { idempotentRequest } from '../../functions/shared/idempotency/idempotent-request.ts';
import { newId } from '../../functions/shared/ids.ts';
import type { ServiceTable } from '../../functions/shared/table/service-table.ts';
import { createWorkspace } from '../../functions/workspaces/create-workspace.ts';
import { workspaceStore } from '../../functions/workspaces/workspace-store.ts';
import type { Through } from '../crashing-calls.ts';
import { memoryObjects } from './memory-objects.ts';

/** A queue that keeps what it is sent. */
function recordingQueue<Body>() {
  const sent: Body[] = [];
  const send = async ({ body }: { body: Body }) => void sent.push(body);
  return {
    sent,
    send,
    sendAll: async (all: readonly { body: Body }[]) => void sent.push(...all.map(({ body }) => body)),
  };
}

const nothing: GetUrl = async () => ({ outcome: 'never-sent', code: 'dns_failed' });

/** The use cases of media over a table, with objects in memory and a world of the test's own. */
export async function mediaService(
  table: ServiceTable,
  { getUrl = nothing, maxFileBytes = 10_000_000 } = {},
) {
  const workspaces = workspaceStore(table);
  const clock = { now: Date.now() };
  const create: typeof workspaces.create = (row) =>
    workspaces.create({ ...row, limits: { ...row.limits, max_file_bytes: maxFileBytes } });
  const access = { workspaces: { ...workspaces, create }, clock: () => clock.now, newId };
  const { id: workspaceId } = await createWorkspace({ name: 'of a test' }, access);
  const objects = memoryObjects();
  const fetchQueue = recordingQueue<{ workspace_id: string; media_id: string }>();
  const processQueue = recordingQueue<{ workspace_id: string; media_id: string }>();
  const needs = {
    ...{ table, objects, fetchQueue, processQueue, getUrl, newId, newUploadId },
    ...{ ownHosts: ['media.test'], clock: () => clock.now, mediaUrl: 'https://media.test/media' },
    sleep: async (ms: number) => {
      clock.now += ms;
    },
  };
  const work = mediaWork(table);
  const caller = { workspaceId } as Caller;
  return {
    ...{ workspaceId, objects, fetchQueue, processQueue, clock, work },
    media: mediaStore(table),
    uploadUrl: (body: { filename: string; content_type: string; size: number }) =>
      createUploadUrl({ caller, body, params: undefined, query: undefined }, needs),
    /** Answers as the endpoint does, refusals thrown. */
    async create(
      body: CreateMediaCall['body'],
      key: string = randomUUID(),
      through: Through = (port) => port,
    ) {
      const request = idempotentRequest({ workspaceId, key, method: 'POST', path: '/media', body });
      const reply = await createMedia(
        { caller, body, request, params: undefined, query: undefined },
        {
          ...needs,
          ...{ table: through(table), objects: through(objects), getUrl: through({ getUrl }).getUrl },
          ...{ fetchQueue: through(fetchQueue), processQueue: through(processQueue) },
        },
      );
      return { ...reply, text: reply.body, body: JSON.parse(reply.body) };
    },
    fetch: (mediaId: string) =>
      fetchMedia({ workspace_id: workspaceId, media_id: mediaId }, { ...needs, work }),
    discard: (uploadId: string) => discardUpload({ workspace_id: workspaceId, upload_id: uploadId }, needs),
  };
}
