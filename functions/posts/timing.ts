import { DAY_MS, isoAt, MINUTE_MS } from '../shared/clock.ts';
import { refuseFor } from './post-problem.ts';

/** A schedule must lie at least this far ahead (interface, section 8). */
const MIN_LEAD_MS = 2 * MINUTE_MS;

/** And at most this far: schedules and access tokens do not live longer. */
const MAX_LEAD_MS = 365 * DAY_MS;

/** When a post is to go out; `draft` if a person decides that later. */
export type Timing = 'draft' | 'now' | { readonly scheduledFor: string };

/**
 * Reads the two fields that publish a post.
 *
 * @throws {RequestError} unprocessable when both are sent, or the time is too near or too far.
 */
export function timingOf(
  { scheduled_for, publish_now }: { readonly scheduled_for?: number; readonly publish_now?: boolean },
  nowMs: number,
): Timing {
  if (scheduled_for === undefined) return publish_now === true ? 'now' : 'draft';
  const message = problemOf(scheduled_for, publish_now === true, nowMs);
  if (message !== undefined) refuseFor([{ path: 'body.scheduled_for', message }]);
  return { scheduledFor: isoAt(scheduled_for) };
}

function problemOf(scheduledFor: number, isNow: boolean, nowMs: number): string | undefined {
  if (isNow) return 'send either scheduled_for or publish_now, not both';
  if (scheduledFor < nowMs + MIN_LEAD_MS) {
    return `scheduled_for must be at least 2 minutes ahead; it is ${isoAt(nowMs)} now; use publish_now to publish at once`;
  }
  return scheduledFor > nowMs + MAX_LEAD_MS
    ? `scheduled_for must be at most a year ahead; it is ${isoAt(nowMs)} now`
    : undefined;
}
