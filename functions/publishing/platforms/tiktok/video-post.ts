import * as v from 'valibot';
import type { MediaRow } from '../../../media/media.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Refused } from '../../publisher.ts';
import { captionOf } from '../../target.ts';
import type { PlatformAnswer } from '../platform-client.ts';
import { StepEnded } from '../platform-error.ts';
import type { Processing, Waiting } from '../social-platform.ts';
import { isRepeat, isUnsettled, settleSends } from '../unsettled.ts';
import { creatorOf, creatorRefusal, postInfo } from './creator.ts';
import type { TiktokBase, TiktokStep } from './tiktok-dialect.ts';
import { chunkAt, chunksOf } from './video-chunks.ts';

/** An upload address is good for an hour; it is not begun with in its last minutes. */
const UPLOAD_MS = 55 * MINUTE_MS;

/** A chunk may take 120 s; it is left to a fresh worker unless there is that much time, and some to record it. */
const CHUNK_MS = 130 * SECOND_MS;

const Upload = v.object({ publish_id: v.string(), upload_url: v.string(), until_ms: v.number() });
type Upload = v.InferOutput<typeof Upload>;
const Initialised = v.object({ data: v.object({ publish_id: v.string(), upload_url: v.string() }) });

/** The upload an earlier step has begun. */
export const uploadOf = (step: TiktokStep): Upload | undefined => {
  const read = v.safeParse(Upload, step.handle.upload);
  return read.success ? read.output : undefined;
};

/**
 * Announces the video and uploads all of it but the last chunk: nothing can appear before that one has
 * arrived, so whatever goes wrong here is simply begun anew.
 */
export async function prepareVideo(step: TiktokStep, base: TiktokBase): Promise<'ready' | Refused | Waiting> {
  const video = videoOf(step);
  const { clock, deadlineMs } = step.job;
  const known = uploadOf(step);
  settleSends(step);
  // An earlier send of unknown fate may yet appear under the id it had, so no other one is begun beside it.
  if (!known || (clock() >= known.until_ms && !isUnsettled(step))) {
    const refused = await announce(step, base, video);
    if (refused) return refused;
  }
  const upload = v.parse(Upload, step.handle.upload);
  const chunks = chunksOf(video.bytes);
  for (let index = Number(step.handle.next_chunk); index < chunks.total_chunk_count - 1; index += 1) {
    if (deadlineMs - clock() < CHUNK_MS) {
      return { outcome: 'waiting', code: 'uploading', message: 'TikTok is being sent the video', forMs: 0 };
    }
    const answer = await sendChunk(step, upload, video, index);
    if (answer.status !== 206) throw chunkRefused(step, answer);
    step.keep({ next_chunk: index + 1, tries: 0 });
  }
  return 'ready';
}

/** The last chunk: with it TikTok begins to post. What comes of it is asked by the id known before. */
export async function sendVideo(step: TiktokStep): Promise<Processing> {
  const video = videoOf(step);
  const upload = v.parse(Upload, step.handle.upload);
  if (step.job.clock() >= upload.until_ms && !isRepeat(step)) {
    step.keep({ upload: null });
    throw new StepEnded({ reason: 'not sent', code: 'upload_expired' });
  }
  step.keep({ sent_ms: step.job.clock() });
  const answer = await sendChunk(step, upload, video, chunksOf(video.bytes).total_chunk_count - 1);
  const { status } = answer;
  if (status === 201 || status === 206) {
    return { outcome: 'processing', code: 'processing', message: 'TikTok is processing the video' };
  }
  const code = `upload_http_${status}`;
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (!isRefusal) throw new StepEnded({ reason: 'unclear', code });
  const text = 'it did not take the upload; publish this again';
  throw new StepEnded({ reason: 'refused', error: { class: 'permanent', code, text } });
}

async function announce(
  step: TiktokStep,
  base: TiktokBase,
  { bytes }: MediaRow,
): Promise<Refused | undefined> {
  const { job } = step;
  const source_info = { source: 'FILE_UPLOAD', ...chunksOf(bytes) };
  const isDirect = job.channel.direct_post === true;
  let json: object = { source_info };
  if (isDirect) {
    const creator = await creatorOf(step, base);
    const refused = creatorRefusal(step, creator);
    if (refused) return refused;
    step.keep({ username: creator.creator_username });
    const title = captionOf(job.target, job.post);
    json = { post_info: { title, ...postInfo(step, creator, 'video') }, source_info };
  }
  const { data } = await step.call(Initialised, {
    kind: 'prepare',
    method: 'POST',
    url: `${base}/post/publish/${isDirect ? '' : 'inbox/'}video/init/`,
    body: { json },
  });
  const upload: Upload = { ...data, until_ms: job.clock() + UPLOAD_MS };
  step.keep({ upload, next_chunk: 0 });
  return undefined;
}

function sendChunk(
  step: TiktokStep,
  { upload_url }: Upload,
  video: MediaRow,
  index: number,
): Promise<PlatformAnswer> {
  const { start, end } = chunkAt(chunksOf(video.bytes), index);
  const bytes = { size: end - start, open: () => step.files.open(video, { start, end }) };
  return step.upload({
    kind: 'upload',
    method: 'PUT',
    url: upload_url,
    headers: { 'content-range': `bytes ${start}-${end - 1}/${video.bytes}` },
    body: { bytes, contentType: video.mime },
  });
}

/** An address that is gone, or has other bytes than we think, is not used again. */
function chunkRefused(step: TiktokStep, { status }: PlatformAnswer): StepEnded {
  if (status < 500 && status !== 429) step.keep({ upload: null });
  const text = 'it did not take a part of the video';
  return new StepEnded({
    reason: 'refused',
    error: { class: 'retry', code: `upload_http_${status}`, text },
  });
}

export function videoOf({ job: { media } }: TiktokStep): MediaRow {
  const [video] = media;
  if (video?.kind !== 'video') throw new Error('a video post has a video');
  return video;
}
