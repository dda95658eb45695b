import * as v from 'valibot';
import { isoAt, SECOND_MS } from '../shared/clock.ts';
import type { PostRow } from './post.ts';

/** Says that the time of a post has come, or nearly. Only the row knows whether that is still so. */
export const DueMessage = v.object({ workspace_id: v.string(), post_id: v.string(), generation: v.number() });
export type DueMessage = v.InferOutput<typeof DueMessage>;

/**
 * EventBridge Scheduler fires within 60 s after its time (its user guide: "60-second precision"), so a
 * schedule is set this much early; the due queue's delay then holds the message to the second.
 */
export const SCHEDULE_EARLY_MS = 90 * SECOND_MS;

/** By then the schedule must have fired; if it has not, the sweeper still brings the post out on time. */
const SWEEP_EARLY_MS = 25 * SECOND_MS;

/**
 * How long a message may take to be handled before the sweeper sends another: with the minute between two
 * sweeps, a lost message costs less than two minutes.
 */
export const MESSAGE_GRACE_MS = 45 * SECOND_MS;

/** When the sweeper must look at a queued post whose message or schedule may have been lost. */
export const wakeAtOf = (post: Pick<PostRow, 'scheduled_for'>, nowMs: number): string =>
  isoAt(
    post.scheduled_for === null ? nowMs + MESSAGE_GRACE_MS : Date.parse(post.scheduled_for) - SWEEP_EARLY_MS,
  );
