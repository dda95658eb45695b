import { createHash } from 'node:crypto';
import { type Clock, isoAt } from '../shared/clock.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import type { Limits } from '../workspaces/workspace.ts';
import type { FormFile } from './form-file.ts';
import type { MediaObjects } from './media-objects.ts';
import type { TakenFile } from './new-media.ts';
import { judgedType } from './sniff.ts';
import { storeFile } from './store-file.ts';
import { originalKey, type UploadRow, uploadItem } from './upload.ts';

interface Needs {
  readonly table: ServiceTable;
  readonly objects: MediaObjects;
  readonly clock: Clock;
  readonly newUploadId: () => string;
}

/**
 * Stores a form's file for good; small ones alone, as a function's request holds no more.
 *
 * @throws {RequestError} invalid_request, payload_too_large.
 */
export async function takeForm(
  form: FormFile,
  { workspaceId, limits }: { workspaceId: string; limits: Limits },
  { table, objects, clock, newUploadId }: Needs,
): Promise<TakenFile> {
  const { filename, declared, content } = form;
  const type = await judgedType(content, form);
  const nowMs = clock();
  const id = newUploadId();
  const upload: UploadRow = {
    id,
    workspace_id: workspaceId,
    filename,
    mime: type.mime,
    bytes: content.length,
    object_key: originalKey(workspaceId, id, type),
    created_at: isoAt(nowMs),
  };
  await table.commit([{ Put: { Item: uploadItem(upload, nowMs) } }]);
  const file = {
    bytes: content.length,
    etag: createHash('md5').update(content).digest('hex'),
    async *read(start: number, end: number) {
      yield content.subarray(start, end);
    },
  };
  const stored = await storeFile(file, { objectKey: upload.object_key, limits, declared }, objects);
  return { outcome: 'stored', upload, stored };
}
