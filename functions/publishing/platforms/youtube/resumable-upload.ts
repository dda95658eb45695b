import * as v from 'valibot';
import type { MediaRow } from '../../../media/media.ts';
import type { PlatformAnswer } from '../platform-client.ts';
import { StepEnded } from '../platform-error.ts';
import type { StepCall } from '../step.ts';
import { Video, videoResource } from './video-resource.ts';
import type { YoutubeStep, YoutubeUrls } from './youtube-dialect.ts';

/** Pieces are multiples of 256 KiB, but for the last one (resumable uploads guide). In bytes. */
export const PIECE_BYTES = 8 * 1024 * 1024;

/** How an upload stands: what YouTube has of it, up to `offset`; the finished video; or nothing any more. */
export type Standing =
  | { readonly state: 'incomplete'; readonly offset: number }
  | { readonly state: 'complete'; readonly video: Video }
  | { readonly state: 'gone' };

/** Begins an upload. Nothing of it can be seen before its last byte has arrived. @returns the session's URI. */
export async function openSession(
  step: YoutubeStep,
  { uploads }: YoutubeUrls,
  { bytes, mime }: MediaRow,
): Promise<string> {
  const answer = await step.exchange({
    kind: 'prepare',
    method: 'POST',
    url: `${uploads}/videos`,
    query: { uploadType: 'resumable', part: 'snippet,status', notifySubscribers: true },
    headers: { 'x-upload-content-type': mime, 'x-upload-content-length': String(bytes) },
    body: { json: videoResource(step.job) },
  });
  const { location } = answer.headers;
  if (location === undefined) throw new StepEnded({ reason: 'unclear', code: 'no_session' });
  return location;
}

/** The byte the next piece begins with, at the latest the last piece's first one. */
export const lastPieceStart = (size: number): number =>
  Math.max(0, (Math.ceil(size / PIECE_BYTES) - 1) * PIECE_BYTES);

/** Sends one piece from `start` on. */
export async function sendPiece(
  step: YoutubeStep,
  { uri, video }: { uri: string; video: MediaRow },
  start: number,
): Promise<Standing> {
  const end = Math.min(start + PIECE_BYTES, video.bytes);
  const bytes = { size: end - start, open: () => step.files.open(video, { start, end }) };
  return standing(step, {
    kind: 'upload',
    method: 'PUT',
    url: uri,
    headers: { 'content-range': `bytes ${start}-${end - 1}/${video.bytes}` },
    body: { bytes, contentType: video.mime },
  });
}

/** Asks how an upload stands. A finished session shows its video, however often it is asked. */
export const askSession = (step: YoutubeStep, uri: string, size: number): Promise<Standing> =>
  standing(step, {
    kind: 'probe',
    method: 'PUT',
    url: uri,
    headers: { 'content-range': `bytes */${size}`, 'content-length': '0' },
  });

async function standing(step: YoutubeStep, call: StepCall): Promise<Standing> {
  const answer = await step.ask(call);
  if (answer.outcome === 'refused') {
    const { error } = answer;
    if (/^http_4(04|10)\b/.test(error.code)) return { state: 'gone' };
    throw new StepEnded({ reason: 'refused', error });
  }
  if (answer.status === 308) return { state: 'incomplete', offset: offsetIn(answer) };
  const video = v.safeParse(Video, answer.body);
  if (!video.success) throw new StepEnded({ reason: 'unclear', code: 'unreadable_answer' });
  return { state: 'complete', video: video.output };
}

/** `Range: bytes=0-x` names the last byte YouTube has; without it, it has none. */
function offsetIn({ headers }: PlatformAnswer): number {
  const last = /^bytes=0-(\d+)$/.exec(headers.range ?? '')?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}
