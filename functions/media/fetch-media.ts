import * as v from 'valibot';
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.ts';
import type { Queue } from '../shared/queues/queue.ts';
import { RequestError } from '../shared/request-error.ts';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { logger } from '../shared/telemetry.ts';
import { type Limits, WorkspaceRow } from '../workspaces/workspace.ts';
import { fileCap } from './file-cap.ts';
import type { ProcessMessage } from './media-messages.ts';
import type { MediaObjects } from './media-objects.ts';
import type { ClaimedMedia, MediaWork, StepEnd } from './media-work.ts';
import { MESSAGE_GRACE_MS } from './new-media.ts';
import { cutOff, type GetUrl, openUrl, type Unopened } from './open-url.ts';
import { fileInStore, storeFile } from './store-file.ts';

interface Needs {
  readonly table: ServiceTable;
  readonly work: MediaWork;
  readonly objects: MediaObjects;
  readonly processQueue: Queue<ProcessMessage>;
  readonly getUrl: GetUrl;
  readonly ownHosts: readonly string[];
  readonly clock: Clock;
}

/** The transfer may take this long, name resolution, redirects and repeats included (interface, section 8). */
const TRANSFER_MS = 5 * MINUTE_MS;

/** The transfer, then storing a gigabyte for good; the function's own limit is below. */
const LEASE_MS = TRANSFER_MS + 4 * MINUTE_MS + 10 * SECOND_MS;

const MAX_TRANSFERS = 3;

/** How often in a row a worker may vanish with the file. */
const MAX_TRIES = 3;

/** One text for all that went wrong at the other end. */
const NOT_FETCHED =
  'The file could not be fetched from its URL: the URL must go on answering with the whole image or video for 5 minutes.';

/**
 * Fetches media that was too large or slow for its request. A repeat is harmless: the first act is a
 * conditional write that one worker wins, and where a file is stored already it is kept. Media that cannot
 * be fetched ends as failed and says why; posts that wait for it then fail too.
 */
export async function fetchMedia(message: ProcessMessage, needs: Needs): Promise<void> {
  const { work, clock, processQueue } = needs;
  const media = await work.claim(message, { step: 'fetch', nowMs: clock(), leaseMs: LEASE_MS });
  if (!media) return;
  const end = media.tries > MAX_TRIES ? gaveUp(NOT_FETCHED) : await fetched(media, needs);
  const isCurrent = await work.end(media, end);
  const { workspace_id, media_id } = message;
  logger.info('media fetched', { workspace_id, media_id, status: end.changes.status, is_current: isCurrent });
  if (isCurrent && end.changes.status === 'ready')
    await processQueue.send({ body: { workspace_id, media_id } });
}

const gaveUp = (failure: string): StepEnd => ({
  changes: { status: 'failed', thumbnail_status: 'failed', failure },
});

async function fetched(media: ClaimedMedia, needs: Needs): Promise<StepEnd> {
  const deadlineMs = needs.clock() + TRANSFER_MS;
  const workspaceKey = keys.workspace(media.workspace_id);
  const { limits } = v.parse(WorkspaceRow, (await needs.table.get([workspaceKey])).get(nameOf(workspaceKey)));
  let last: Unopened = { outcome: 'refused', reason: 'no try', mayHeal: true, isAnswered: false };
  for (let transfer = 1; transfer <= MAX_TRANSFERS && needs.clock() < deadlineMs; transfer += 1) {
    const outcome = await oneTransfer(media, { limits, deadlineMs, transfer }, needs);
    if ('changes' in outcome) return outcome;
    last = outcome;
    if (last.outcome === 'too large' || !last.mayHeal) break;
  }
  if (last.outcome === 'too large') {
    return gaveUp(`The file at the URL is larger than this plan's ${fileCap(limits)} bytes.`);
  }
  logger.info('media not fetched', { media_id: media.id, reason: last.reason });
  return gaveUp(NOT_FETCHED);
}

interface Transfer {
  readonly limits: Limits;
  readonly deadlineMs: number;
  readonly transfer: number;
}

async function oneTransfer(
  media: ClaimedMedia,
  { limits, deadlineMs, transfer }: Transfer,
  { objects, getUrl, ownHosts, clock }: Needs,
): Promise<StepEnd | Unopened> {
  const capBytes = fileCap(limits);
  const opened = await openUrl(media.source_url ?? '', { capBytes, deadlineMs, ownHosts, getUrl });
  if (opened.outcome !== 'opened') return opened;
  // What was promised when the post or the media was accepted must hold; its address has the type in its name.
  if (opened.type.mime !== media.mime) {
    opened.discard();
    return { outcome: 'refused', reason: 'another type than at first', mayHeal: false, isAnswered: true };
  }
  // Every transfer under a name of its own; what is left of one is gone within a day.
  const objectKey = `incoming/${media.workspace_id}/${media.id}-${media.fence}-${transfer}`;
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of opened.body) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  try {
    const written = await objects.create({ objectKey, mime: media.mime }, counted());
    if (written.outcome === 'exists') throw new Error(`${objectKey} exists, though this worker named it`);
    const file = fileInStore(objects, { objectKey, etag: written.etag, bytes });
    const wanted = { objectKey: media.object_key, limits, declared: media.mime };
    const stored = await storeFile(file, wanted, objects);
    await objects.remove(objectKey);
    return { changes: { ...stored, status: 'ready' }, wakeAtMs: clock() + MESSAGE_GRACE_MS };
  } catch (error) {
    if (error instanceof RequestError) return gaveUp(`The file at the URL cannot be used: ${error.message}.`);
    return cutOff(error);
  }
}
