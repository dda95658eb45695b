import * as v from 'valibot';
import type { InstagramCredentials } from '../../../channels/credentials.ts';
import type { MediaRow } from '../../../media/media.ts';
import { captionOf } from '../../target.ts';
import type { Step } from '../step.ts';

export type InstagramStep = Step<InstagramCredentials>;

/** The two ways an account is connected, each with its own host; versions and all. */
export interface InstagramUrls {
  /** Through its Page: https://graph.facebook.com/v26.0 */
  readonly facebook: string;
  /** By itself: https://graph.instagram.com/v26.0 */
  readonly instagram: string;
}

export const Id = v.object({ id: v.string() });

export const textOf = ({ job }: InstagramStep): string => captionOf(job.target, job.post);

/** The base of an account's calls. */
export const graphOf = ({ credentials }: InstagramStep, urls: InstagramUrls): string =>
  urls[credentials.login];

/** Instagram takes JPEG alone, up to 8 MB. */
export const INSTAGRAM_IMAGE = { mimes: ['image/jpeg'], maxBytes: 8_000_000 } as const;

/** The alt text of an item: they are given one per image, in the order of the images. */
export function altTextOf({ job }: InstagramStep, media: MediaRow): string | undefined {
  const images = job.media.filter(({ kind }) => kind === 'image');
  return job.target.options?.image_alt_texts?.[images.indexOf(media)] || undefined;
}
