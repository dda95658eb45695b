import type { MediaRow } from '../../media/media.ts';
import type { MediaFiles } from '../../media/media-files.ts';
import { SECOND_MS } from '../../shared/clock.ts';
import type { Refused } from '../publisher.ts';
import type { Waiting } from './social-platform.ts';

/** What a platform takes of images as they are. */
export interface ImageForm {
  readonly mimes: readonly string[];
  readonly maxBytes: number;
}

const LOOK_AGAIN_MS = 3 * SECOND_MS;

/**
 * The public address of an image in a form the platform takes: the original where it may be, or else the
 * JPEG that was made of it when it was processed.
 */
export function imageUrl(
  media: MediaRow,
  { mimes, maxBytes }: ImageForm,
  files: MediaFiles,
): { readonly outcome: 'url'; readonly url: string } | Refused | Waiting {
  if (mimes.includes(media.mime) && media.bytes <= maxBytes) {
    return { outcome: 'url', url: files.publicUrl(media) };
  }
  if (media.thumbnails) return { outcome: 'url', url: files.publicUrl(media.thumbnails.display) };
  if (media.thumbnail_status === 'failed') {
    const message = `media ${media.id} could not be turned into the form this channel takes (${media.failure ?? media.mime}); attach it as JPEG`;
    return { outcome: 'refused', code: 'media_form', message };
  }
  const message = `media ${media.id} is being turned into the form this channel takes`;
  return { outcome: 'waiting', code: 'media_processing', message, forMs: LOOK_AGAIN_MS, isOurs: true };
}
