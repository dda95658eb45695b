import * as v from 'valibot';
import type { MediaRow } from '../../../media/media.ts';
import type { OutboundBody } from '../../../shared/outbound/send-body.ts';
import type { Refused } from '../../publisher.ts';
import { imageUrl } from '../image-form.ts';
import { StepEnded } from '../platform-error.ts';
import type { Waiting } from '../social-platform.ts';
import type { LinkedinApi, LinkedinStep } from './linkedin-dialect.ts';

/** Images API: JPG, PNG and GIF below 36,152,320 pixels. */
const TAKEN = ['image/jpeg', 'image/png', 'image/gif'];
const MAX_PIXELS = 36_152_319;

const Initialised = v.object({ value: v.object({ uploadUrl: v.string(), image: v.string() }) });

/** Uploads an image. What was uploaded is seen by nobody until a post shows it. @returns its URN. */
export async function uploadImage(
  step: LinkedinStep,
  { rest }: LinkedinApi,
  media: MediaRow,
): Promise<string | Refused | Waiting> {
  const file = fileOf(step, media);
  if ('outcome' in file) return file;
  const { value } = await step.call(Initialised, {
    kind: 'prepare',
    method: 'POST',
    url: `${rest}/images`,
    query: { action: 'initializeUpload' },
    body: { json: { initializeUploadRequest: { owner: step.credentials.author } } },
  });
  const answer = await step.upload({
    kind: 'upload',
    method: 'PUT',
    url: value.uploadUrl,
    headers: { authorization: `Bearer ${step.credentials.access_token}` },
    body: file,
  });
  if (answer.status < 300) return value.image;
  const text = 'it did not take an image';
  throw new StepEnded({
    reason: 'refused',
    error: { class: 'retry', code: `upload_http_${answer.status}`, text },
  });
}

/** The file as it is, or the JPEG made of it where LinkedIn would not take it. */
function fileOf(
  { files }: LinkedinStep,
  media: MediaRow,
): { bytes: OutboundBody; contentType: string } | Refused | Waiting {
  const pixels = (media.width ?? 0) * (media.height ?? 0);
  const mimes = pixels <= MAX_PIXELS ? TAKEN : [];
  if (mimes.includes(media.mime)) {
    return { bytes: { size: media.bytes, open: () => files.open(media) }, contentType: media.mime };
  }
  const form = imageUrl(media, { mimes, maxBytes: Number.POSITIVE_INFINITY }, files);
  if (form.outcome !== 'url') return form;
  const display = media.thumbnails?.display;
  if (!display || !TAKEN.includes(display.mime)) {
    const message = `LinkedIn takes no ${media.mime} (media ${media.id}); attach it as JPEG or PNG`;
    return { outcome: 'refused', code: 'media_form', message };
  }
  return { bytes: { size: display.bytes, open: () => files.open(display) }, contentType: display.mime };
}
