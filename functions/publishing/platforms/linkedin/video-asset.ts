import * as v from 'valibot';
import type { MediaRow } from '../../../media/media.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';
import { StepEnded } from '../platform-error.ts';
import type { Waiting } from '../social-platform.ts';
import type { LinkedinApi, LinkedinStep } from './linkedin-dialect.ts';

/** A part may take 120 s; it is left to a fresh worker unless there is that much time, and some to record it. */
const PART_MS = 130 * SECOND_MS;

/** Upload addresses that end this soon are not begun with. */
const MARGIN_MS = 5 * MINUTE_MS;

const Upload = v.object({
  video: v.string(),
  uploadToken: v.optional(v.string(), ''),
  uploadUrlsExpireAt: v.optional(v.number()),
  uploadInstructions: v.pipe(
    v.array(v.object({ uploadUrl: v.string(), firstByte: v.number(), lastByte: v.number() })),
    v.minLength(1),
  ),
});
type Upload = v.InferOutput<typeof Upload>;
const Initialised = v.object({ value: Upload });
const Etags = v.array(v.string());

/**
 * Uploads a video in the parts LinkedIn asks for, each to its own address, and puts them together by their
 * ETags. Their order is the order of the film: LinkedIn does not check it.
 *
 * @returns its URN.
 */
export async function uploadVideo(
  step: LinkedinStep,
  api: LinkedinApi,
  media: MediaRow,
): Promise<string | Waiting> {
  const { clock, deadlineMs } = step.job;
  const upload = await uploadIn(step, api, media);
  const etags = [...v.parse(Etags, step.handle.etags)];
  for (const part of upload.uploadInstructions.slice(etags.length)) {
    if (deadlineMs - clock() < PART_MS) {
      return { outcome: 'waiting', code: 'uploading', message: 'LinkedIn is being sent the video', forMs: 0 };
    }
    etags.push(await sendPart(step, media, part));
    step.keep({ etags: [...etags], tries: 0 });
  }
  await step.exchange({
    kind: 'prepare',
    method: 'POST',
    url: `${api.rest}/videos`,
    query: { action: 'finalizeUpload' },
    body: {
      json: {
        finalizeUploadRequest: {
          video: upload.video,
          uploadToken: upload.uploadToken,
          uploadedPartIds: etags,
        },
      },
    },
  });
  // The addresses of hundreds of parts are a burden to the row once they are used.
  step.keep({ upload: null, etags: null });
  return upload.video;
}

/** The upload an earlier step has begun, as long as its addresses hold, or a new one. */
async function uploadIn(step: LinkedinStep, { rest }: LinkedinApi, media: MediaRow): Promise<Upload> {
  const known = v.safeParse(Upload, step.handle.upload);
  if (known.success && !isExpired(known.output, step.job.clock())) return known.output;
  const { value } = await step.call(Initialised, {
    kind: 'prepare',
    method: 'POST',
    url: `${rest}/videos`,
    query: { action: 'initializeUpload' },
    body: {
      json: {
        initializeUploadRequest: {
          owner: step.credentials.author,
          fileSizeBytes: media.bytes,
          uploadCaptions: false,
          uploadThumbnail: false,
        },
      },
    },
  });
  const inOrder = value.uploadInstructions.toSorted((a, b) => a.firstByte - b.firstByte);
  const upload = { ...value, uploadInstructions: inOrder };
  step.keep({ upload, etags: [] });
  return upload;
}

const isExpired = ({ uploadUrlsExpireAt }: Upload, nowMs: number): boolean =>
  uploadUrlsExpireAt !== undefined && uploadUrlsExpireAt - MARGIN_MS <= nowMs;

async function sendPart(
  step: LinkedinStep,
  media: MediaRow,
  { uploadUrl, firstByte, lastByte }: Upload['uploadInstructions'][number],
): Promise<string> {
  const range = { start: firstByte, end: lastByte + 1 };
  const bytes = { size: range.end - range.start, open: () => step.files.open(media, range) };
  const answer = await step.upload({
    kind: 'upload',
    method: 'PUT',
    url: uploadUrl,
    body: { bytes, contentType: 'application/octet-stream' },
  });
  const { etag } = answer.headers;
  if (answer.status < 300 && etag !== undefined) return etag;
  // An address that is no longer taken says nothing about our token.
  if (answer.status >= 400 && answer.status < 500) step.keep({ upload: null });
  const text = 'it did not take a part of the video';
  throw new StepEnded({
    reason: 'refused',
    error: { class: 'retry', code: `upload_http_${answer.status}`, text },
  });
}
