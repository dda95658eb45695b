import { type Clock, SECOND_MS } from '../shared/clock.ts';
import { logger } from '../shared/telemetry.ts';
import type { Film, FilmFile } from './films.ts';
import { type imageThumbnails, type Picture, UnusableFile } from './images.ts';
import type { MediaRow, Poster } from './media.ts';
import type { ProcessMessage } from './media-messages.ts';
import type { MediaObjects } from './media-objects.ts';
import type { ClaimedMedia, MediaWork } from './media-work.ts';
import { fileInStore } from './store-file.ts';

interface Needs {
  readonly work: MediaWork;
  readonly objects: MediaObjects;
  readonly imageThumbnails: typeof imageThumbnails;
  readonly readFilm: (file: FilmFile) => Promise<Film>;
  readonly clock: Clock;
}

/** A worker that takes longer than this is taken to be gone; the function's own limit is below. */
const LEASE_MS = 130 * SECOND_MS;

/** A file that made its worker vanish so often is given up: a bomb, whatever it looks like. */
const MAX_TRIES = 3;

/**
 * Looks into a file: its size, its duration, its thumbnails. A repeat is harmless: the first act is a
 * conditional write that one worker wins, and what is made comes out the same every time. A file that cannot
 * be looked into ends as failed, also when it takes its worker with it.
 */
export async function processMedia(message: ProcessMessage, needs: Needs): Promise<void> {
  const media = await needs.work.claim(message, { step: 'process', nowMs: needs.clock(), leaseMs: LEASE_MS });
  if (!media) return;
  const startedMs = needs.clock();
  const changes = await looked(media, needs);
  const isCurrent = await needs.work.end(media, { changes });
  logger.info('media processed', {
    workspace_id: media.workspace_id,
    media_id: media.id,
    thumbnail_status: changes.thumbnail_status,
    took_ms: needs.clock() - startedMs,
    is_current: isCurrent,
  });
}

async function looked(media: ClaimedMedia, needs: Needs): Promise<Partial<MediaRow>> {
  const failed = (failure: string) => ({ thumbnail_status: 'failed' as const, failure });
  if (media.tries > MAX_TRIES) return failed('The file cannot be processed.');
  try {
    return await (media.kind === 'image' ? ofImage(media, needs) : ofFilm(media, needs));
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    logger.info('media unusable', { media_id: media.id, error: error.cause as Error });
    return failed(error.message);
  }
}

async function ofImage(media: MediaRow, { objects, imageThumbnails }: Needs): Promise<Partial<MediaRow>> {
  const file = fileOf(media, objects);
  const { width, height, thumbnails } = await imageThumbnails(await file.read(0, media.bytes));
  return { thumbnail_status: 'ready', width, height, thumbnails: await storeAll(media, thumbnails, objects) };
}

async function ofFilm(media: MediaRow, { objects, readFilm }: Needs): Promise<Partial<MediaRow>> {
  const film = await readFilm(fileOf(media, objects));
  const posters: Poster[] = [];
  for (const [index, poster] of film.posters.entries()) {
    posters.push(await store(media, { name: `poster-${index + 1}`, picture: poster }, objects));
  }
  return {
    thumbnail_status: 'ready',
    width: film.width,
    height: film.height,
    duration_ms: film.durationMs,
    thumbnails: await storeAll(media, film.thumbnails, objects),
    posters,
  };
}

function fileOf({ object_key, etag, bytes }: MediaRow, objects: MediaObjects): FilmFile {
  const file = fileInStore(objects, { objectKey: object_key, etag: etag ?? '', bytes });
  return {
    bytes,
    async read(start, end) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of file.read(start, end)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}

async function storeAll(
  media: MediaRow,
  { thumb, preview, display }: Film['thumbnails'],
  objects: MediaObjects,
): Promise<NonNullable<MediaRow['thumbnails']>> {
  const stored = (name: string, picture: Picture) => store(media, { name, picture }, objects);
  const [one, two, three] = await Promise.all([
    stored('thumb', thumb),
    stored('preview', preview),
    stored('display', display),
  ]);
  return { thumb: one, preview: two, display: three };
}

/** Beside the original, whose name nobody can guess. */
async function store(
  { object_key }: MediaRow,
  { name, picture }: { name: string; picture: Picture },
  objects: MediaObjects,
): Promise<Poster> {
  const { bytes, mime, width, height } = picture;
  const extension = mime === 'image/webp' ? 'webp' : 'jpg';
  const objectKey = `${object_key.slice(0, object_key.lastIndexOf('/'))}/${name}.${extension}`;
  const etag = await objects.replace({ objectKey, mime }, bytes);
  return { object_key: objectKey, width, height, mime, bytes: bytes.length, etag };
}
