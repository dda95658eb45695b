import * as v from 'valibot';
import type { MediaRow } from '../../../media/media.ts';
import type { Refused } from '../../publisher.ts';
import { captionOf } from '../../target.ts';
import { type ImageForm, imageUrl } from '../image-form.ts';
import type { Processing, Waiting } from '../social-platform.ts';
import { creatorOf, creatorRefusal, postInfo } from './creator.ts';
import type { TiktokBase, TiktokStep } from './tiktok-dialect.ts';

/** Media transfer guide: JPEG or WebP of at most 20 MB and 1080p; what may be larger goes as the JPEG made of it. */
const PHOTO: ImageForm = { mimes: ['image/jpeg', 'image/webp'], maxBytes: 20_000_000 };

/** Whether 1080p is meant of the longer or the shorter side is not said; upright 1080 x 1920 is taken. */
const isWithin1080p = ({ width, height }: MediaRow): boolean =>
  width !== null && height !== null && Math.min(width, height) <= 1080 && Math.max(width, height) <= 1920;

const Initialised = v.object({ data: v.object({ publish_id: v.string() }) });
const Body = v.string();

/** What an answered send is known by. An id of an earlier send says nothing about a later one. */
const Sent = v.object({ send: v.number(), publish_id: v.string() });

/** Asks the account, and puts the post together. Nothing is sent, since sending it publishes it. */
export async function preparePhotos(
  step: TiktokStep,
  base: TiktokBase,
): Promise<'ready' | Refused | Waiting> {
  const { job, files } = step;
  const photo_images: string[] = [];
  for (const media of job.media) {
    const form = imageUrl(media, isWithin1080p(media) ? PHOTO : { ...PHOTO, mimes: [] }, files);
    if (form.outcome !== 'url') return form;
    photo_images.push(form.url);
  }
  const description = captionOf(job.target, job.post);
  const isDirect = job.channel.direct_post === true;
  let info: object = { description };
  if (isDirect) {
    const creator = await creatorOf(step, base);
    const refused = creatorRefusal(step, creator);
    if (refused) return refused;
    step.keep({ username: creator.creator_username });
    info = { description, ...postInfo(step, creator, 'photo') };
  }
  const body = {
    media_type: 'PHOTO',
    post_mode: isDirect ? 'DIRECT_POST' : 'MEDIA_UPLOAD',
    // Beside the post's own fields here, within them for videos: so the two references have it.
    is_aigc: job.target.options?.is_aigc === true,
    post_info: info,
    source_info: { source: 'PULL_FROM_URL', photo_images, photo_cover_index: 0 },
  };
  step.keep({ body: JSON.stringify(body) });
  return 'ready';
}

/** The announcement is the post: from it on TikTok fetches the photos and publishes them. */
export async function sendPhotos(step: TiktokStep, base: TiktokBase): Promise<Processing> {
  const json: unknown = JSON.parse(v.parse(Body, step.handle.body));
  const { data } = await step.call(Initialised, {
    kind: 'send',
    method: 'POST',
    url: `${base}/post/publish/content/init/`,
    body: { json },
  });
  step.keep({ sent: { send: step.job.target.sends, publish_id: data.publish_id } });
  return { outcome: 'processing', code: 'processing', message: 'TikTok is fetching the photos' };
}

/** The id of the very send whose outcome is wanted; without one nobody can tell what became of it. */
export function photosId({ job, handle }: TiktokStep): string | undefined {
  const read = v.safeParse(Sent, handle.sent);
  return read.success && read.output.send === job.target.sends ? read.output.publish_id : undefined;
}
