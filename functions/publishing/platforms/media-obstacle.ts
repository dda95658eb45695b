import { rulesOf } from '../../channels/platform.ts';
import { mediaBreach } from '../../posts/media-rules.ts';
import { SECOND_MS } from '../../shared/clock.ts';
import type { Job, Prepared } from '../publisher.ts';
import { plannedFor } from '../target.ts';
import type { Waiting } from './social-platform.ts';

const LOOK_AGAIN_MS = 3 * SECOND_MS;

/** The waits for a file double, as each is as long as all before it; a transfer may take minutes. */
const FIRST_WAIT_MS = 2 * SECOND_MS;
const LONGEST_WAIT_MS = 15 * SECOND_MS;

/**
 * What keeps a post's media from being sent: a file still on its way is waited for; one that failed, or that
 * turned out to be of a kind or size the platform does not take, ends the target.
 */
export function mediaObstacle({
  media,
  clock,
  post,
  target,
}: Pick<Job, 'media' | 'clock' | 'post' | 'target'>): Prepared | undefined {
  const failed = media.find(({ status }) => status === 'failed');
  if (failed) {
    const message = `media ${failed.id} never arrived (${failed.failure ?? 'its transfer failed'}); attach it anew and publish this again`;
    return { outcome: 'refused', code: 'media_failed', message };
  }
  const late = media.find(({ status }) => status !== 'ready');
  if (!late) {
    const breach = mediaBreach(target.platform, media);
    if (!breach) return undefined;
    const message = `${rulesOf(target.platform).name} ${breach.problem}; nothing has gone out. Attach another file and publish this again.`;
    return { outcome: 'refused', code: breach.rule, message };
  }
  const message = `media ${late.id} is still on its way`;
  const nowMs = clock();
  const waitedMs = nowMs - Math.max(Date.parse(plannedFor(post)), Date.parse(late.created_at));
  const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, waitedMs));
  return { outcome: 'waiting', code: 'media_arriving', message, atMs: nowMs + waitMs };
}

/** Waits for a file whose size or duration decides how it is published, as long as they can still come. */
export function unknownSize({ media }: Pick<Job, 'media'>): Waiting | undefined {
  const unknown = media.find(
    ({ thumbnail_status }) => thumbnail_status === 'pending' || thumbnail_status === 'processing',
  );
  return (
    unknown && {
      outcome: 'waiting',
      code: 'media_processing',
      message: `media ${unknown.id} is being looked into`,
      forMs: LOOK_AGAIN_MS,
      isOurs: true,
    }
  );
}
