import { isoAt, SECOND_MS } from '../shared/clock.ts';
import { RequestError } from '../shared/request-error.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { fileCap, tooLarge } from './file-cap.ts';
import type { FileType } from './file-type.ts';
import { filenameOf } from './filename.ts';
import type { MediaObjects } from './media-objects.ts';
import type { ArrivingFile, TakenFile } from './new-media.ts';
import { cutOff, type OpenedUrl } from './open-url.ts';
import { type AskedUrl, type ReachNeeds, reachUrl, urlRefusal } from './reach-url.ts';
import { fileInStore, storeFile } from './store-file.ts';
import { incomingKey, originalKey, type UploadRow, uploadItem } from './upload.ts';

/** What fetching from a client's URL needs. */
export interface UrlNeeds extends ReachNeeds {
  readonly newUploadId: () => string;
}

interface FetchNeeds extends UrlNeeds {
  readonly table: ServiceTable;
  readonly objects: MediaObjects;
}

/** Of the 28 s a request has, this much is for its transfer; the rest stores and answers. */
const TRANSFER_MS = 18 * SECOND_MS;

/** A look at the first bytes of a file, redirects included. */
const LOOK_MS = 10 * SECOND_MS;

/** What is larger is left to a worker from the start. */
const MAX_BYTES_AT_ONCE = 48 * 1024 * 1024;

/**
 * Fetches a URL's file and stores it for good if it comes within the request's time. One that is large or slow
 * is left to a worker, which begins anew.
 *
 * @throws {RequestError} invalid_request, the same for every reason; payload_too_large.
 */
export async function takeUrl(asked: AskedUrl, needs: FetchNeeds): Promise<TakenFile | ArrivingFile> {
  const deadlineMs = needs.clock() + TRANSFER_MS;
  const opened = await reachUrl(asked, deadlineMs, needs);
  if ((opened.announcedBytes ?? 0) > MAX_BYTES_AT_ONCE) {
    opened.discard();
    return arriving(asked, opened.type, opened.announcedBytes ?? 0, needs);
  }
  const nowMs = needs.clock();
  const upload = newUpload(asked, opened, nowMs, needs);
  await needs.table.commit([{ Put: { Item: uploadItem(upload, nowMs) } }]);
  let received = 0;
  const counted = async function* () {
    for await (const chunk of opened.body) {
      received += chunk.length;
      yield chunk;
    }
  };
  const objectKey = incomingKey(upload);
  try {
    const written = await needs.objects.create({ objectKey, mime: upload.mime }, counted());
    if (written.outcome === 'exists') throw new Error(`${objectKey} exists, though its name is random`);
    const file = fileInStore(needs.objects, { objectKey, etag: written.etag, bytes: received });
    const wanted = { objectKey: upload.object_key, limits: asked.limits, declared: upload.mime };
    return { outcome: 'stored', upload, stored: await storeFile(file, wanted, needs.objects) };
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const cut = cutOff(error);
    if (cut.outcome === 'too large') throw tooLarge(fileCap(asked.limits));
    if (!cut.mayHeal) throw urlRefusal(asked, cut.reason);
    return arriving(asked, opened.type, opened.announcedBytes ?? received, needs);
  }
}

/**
 * Looks whether a URL gives media, and leaves fetching it to a worker.
 *
 * @throws {RequestError} invalid_request, the same for every reason; payload_too_large.
 */
export async function lookAtUrl(asked: AskedUrl, needs: UrlNeeds): Promise<ArrivingFile> {
  const opened = await reachUrl(asked, needs.clock() + LOOK_MS, needs);
  opened.discard();
  return arriving(asked, opened.type, opened.announcedBytes ?? 0, needs);
}

const arriving = (
  { url, workspaceId }: AskedUrl,
  type: FileType,
  bytes: number,
  { newUploadId }: UrlNeeds,
): ArrivingFile => ({
  outcome: 'arriving',
  type,
  bytes,
  filename: filenameIn(url),
  sourceUrl: url,
  objectKey: originalKey(workspaceId, newUploadId(), type),
});

function newUpload(
  { url, workspaceId }: AskedUrl,
  { type }: OpenedUrl,
  nowMs: number,
  needs: UrlNeeds,
): UploadRow {
  const id = needs.newUploadId();
  return {
    id,
    workspace_id: workspaceId,
    filename: filenameIn(url),
    mime: type.mime,
    bytes: 0,
    object_key: originalKey(workspaceId, id, type),
    created_at: isoAt(nowMs),
  };
}

/** The last part of a URL's path, if it has one that can be a name. */
export function filenameIn(url: string): string | null {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  try {
    return filenameOf(decodeURIComponent(last));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
