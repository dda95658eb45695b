import * as v from 'valibot';
import type { FacebookCredentials } from '../../../channels/credentials.ts';
import type { MediaRow } from '../../../media/media.ts';
import { captionOf } from '../../target.ts';
import type { Step } from '../step.ts';

export type FacebookStep = Step<FacebookCredentials>;

/** A Page's part of the Graph API, version and all: https://graph.facebook.com/v26.0 */
export type GraphUrl = string;

export const Id = v.object({ id: v.string() });
export const Done = v.object({ success: v.literal(true) });

/** How a post goes out. Vertical clips to `/videos` were seen to end as drafts, so they become reels. */
export type PostForm = 'feed' | 'video' | 'reel';

/** Reels publishing guide: 9:16 (a little tolerance for odd pixels), at least 540 x 960, 3 to 90 s. */
const REEL = { minRatio: 0.5, maxRatio: 0.6, minWidth: 540, minMs: 3_000, maxMs: 90_000 } as const;

/** The form of a post with these media. */
export function formOf(media: readonly MediaRow[]): PostForm {
  const [first] = media;
  if (first?.kind !== 'video') return 'feed';
  const { width, height, duration_ms } = first;
  if (width === null || height === null || duration_ms === null) return 'video';
  const ratio = width / height;
  const isReel =
    ratio >= REEL.minRatio &&
    ratio <= REEL.maxRatio &&
    width >= REEL.minWidth &&
    duration_ms >= REEL.minMs &&
    duration_ms <= REEL.maxMs;
  return isReel ? 'reel' : 'video';
}

/** The words of a post. */
export const textOf = ({ job }: FacebookStep): string => captionOf(job.target, job.post);
