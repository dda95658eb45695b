import type { MediaRow } from '../../media/media.ts';
import { SECOND_MS } from '../../shared/clock.ts';
import type { Job, Prepared } from '../publisher.ts';

const LOOK_AGAIN_MS = 3 * SECOND_MS;

/** What keeps a post's media from being sent: a file still on its way is waited for, one that failed ends the target. */
export function mediaObstacle({ media, clock }: Pick<Job, 'media' | 'clock'>): Prepared | undefined {
  const failed = media.find(({ status }) => status === 'failed');
  if (failed) {
    const message = `media ${failed.id} never arrived (${failed.failure ?? 'its transfer failed'}); attach it anew and publish this again`;
    return { outcome: 'refused', code: 'media_failed', message };
  }
  const late = media.find(({ status }) => status !== 'ready');
  return late && waitFor(late, clock());
}

/** Waits until a file has been looked into, as far as it will be. */
export function unprocessed(media: readonly MediaRow[]): MediaRow | undefined {
  return media.find(
    ({ thumbnail_status }) => thumbnail_status === 'pending' || thumbnail_status === 'processing',
  );
}

const waitFor = ({ id }: MediaRow, nowMs: number): Prepared => ({
  outcome: 'retry',
  code: 'media_arriving',
  message: `media ${id} is still on its way`,
  atMs: nowMs + LOOK_AGAIN_MS,
});
