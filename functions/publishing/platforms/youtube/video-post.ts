import * as v from 'valibot';
import type { MediaRow } from '../../../media/media.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Published } from '../../publisher.ts';
import { StepEnded } from '../platform-error.ts';
import type { Looked, Waiting } from '../social-platform.ts';
import { isRepeat, isUnsettled, settleSends } from '../unsettled.ts';
import { ownUploads } from './own-uploads.ts';
import { askSession, lastPieceStart, openSession, type Standing, sendPiece } from './resumable-upload.ts';
import { publishedVideo, Video, videoResource } from './video-resource.ts';
import type { YoutubeStep, YoutubeUrls } from './youtube-dialect.ts';

/** A piece may take 120 s; it is left to a fresh worker unless there is that much time, and some to record it. */
const PIECE_MS = 130 * SECOND_MS;

/** A video whose session is gone is looked for among the channel's uploads for so long. */
const SEARCH_MS = 15 * MINUTE_MS;

/** How far two clocks may differ. */
const SKEW_MS = MINUTE_MS;

const Session = v.object({ uri: v.string(), begun_ms: v.number() });

const sessionOf = (step: YoutubeStep): v.InferOutput<typeof Session> | undefined => {
  const read = v.safeParse(Session, step.handle.session);
  return read.success ? read.output : undefined;
};

/**
 * Uploads all of the video but its last piece; nothing can be seen before that. The session is stored before
 * the first byte, so that an upload broken off goes on where YouTube says it stands.
 */
export async function prepareVideo(step: YoutubeStep, urls: YoutubeUrls): Promise<'ready' | Waiting> {
  settleSends(step);
  const video = videoOf(step);
  const session = sessionOf(step);
  if (!session) return begin(step, urls, video);
  let now = await askSession(step, session.uri, video.bytes);
  for (;;) {
    if (now.state === 'complete') {
      step.keep({ video: now.video });
      return 'ready';
    }
    if (now.state === 'gone') {
      // While an earlier send is unsettled, sending looks for its video and begins no second one.
      if (isUnsettled(step)) return 'ready';
      step.keep({ session: null });
      const text = 'it no longer knows the upload';
      throw new StepEnded({ reason: 'refused', error: { class: 'retry', code: 'session_gone', text } });
    }
    step.keep({ offset: now.offset, tries: 0 });
    if (now.offset >= lastPieceStart(video.bytes)) return 'ready';
    if (step.job.deadlineMs - step.job.clock() < PIECE_MS) return uploading;
    now = await sendPiece(step, { uri: session.uri, video }, now.offset);
  }
}

const uploading: Waiting = {
  outcome: 'waiting',
  code: 'uploading',
  message: 'YouTube is being sent the video',
  forMs: 0,
};

async function begin(step: YoutubeStep, urls: YoutubeUrls, video: MediaRow): Promise<Waiting> {
  const uri = await openSession(step, urls, video);
  step.keep({ session: { uri, begun_ms: step.job.clock() }, offset: 0 });
  return uploading;
}

/** Sends the last piece, or what YouTube says is still missing when an earlier send was cut off. */
export async function sendVideo(step: YoutubeStep): Promise<Omit<Published, 'outcome'>> {
  const known = v.safeParse(Video, step.handle.video);
  if (known.success) return publishedVideo(step.job, known.output);
  const video = videoOf(step);
  const { uri } = v.parse(Session, step.handle.session);
  let now: Standing = isRepeat(step)
    ? await askSession(step, uri, video.bytes)
    : { state: 'incomplete', offset: Number(step.handle.offset) };
  while (now.state === 'incomplete' && now.offset < video.bytes) {
    const before = now.offset;
    now = await sendPiece(step, { uri, video }, before);
    if (now.state === 'incomplete' && now.offset <= before) break;
  }
  if (now.state !== 'complete') throw new StepEnded({ reason: 'unclear', code: `session_${now.state}` });
  return publishedVideo(step.job, now.video);
}

/** The session tells what became of a send; when it is gone, the channel's own uploads may. */
export async function verifyVideo(step: YoutubeStep, urls: YoutubeUrls): Promise<Looked> {
  const video = videoOf(step);
  const session = v.parse(Session, step.handle.session);
  const now = await askSession(step, session.uri, video.bytes);
  switch (now.state) {
    case 'complete':
      return { outcome: 'posted', ...publishedVideo(step.job, now.video) };
    case 'incomplete':
      if (now.offset >= video.bytes) {
        return { outcome: 'processing', code: 'uploaded', message: 'YouTube is taking the video in' };
      }
      return { outcome: 'absent', code: 'incomplete', message: 'YouTube has not got the whole video' };
    case 'gone':
      return search(step, urls, session.begun_ms);
  }
}

async function search(step: YoutubeStep, urls: YoutubeUrls, begunMs: number): Promise<Looked> {
  const { title } = videoResource(step.job).snippet;
  const uploads = await ownUploads(step, urls, 20);
  const found = uploads.find(
    (upload) => upload.title === title && Date.parse(upload.publishedAt) >= begunMs - SKEW_MS,
  );
  if (found) return { outcome: 'posted', ...publishedVideo(step.job, { id: found.id }) };
  const sentMs = Date.parse(step.job.target.first_sent_at ?? '') || begunMs;
  const message = 'YouTube no longer knows this upload, and the channel does not show the video';
  const isOver = step.job.clock() - sentMs > SEARCH_MS;
  return { outcome: isOver ? 'unknown' : 'processing', code: 'session_gone', message };
}

function videoOf({ job: { media } }: YoutubeStep): MediaRow {
  const [video] = media;
  if (video?.kind !== 'video') throw new Error('a video post has a video');
  return video;
}
