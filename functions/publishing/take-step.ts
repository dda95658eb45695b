import { MINUTE_MS, SECOND_MS } from '../shared/clock.ts';
import { jobOf, openCredentials } from './job.ts';
import { UNKNOWN } from './obstacle.ts';
import type { LoadedTarget, PublishNeeds } from './publish-target.ts';
import type { Job, Prepared, Publisher, Sent, Trouble, Verified } from './publisher.ts';
import type { Stage } from './stages.ts';
import { type Handle, type PublishingTarget, plannedFor } from './target.ts';

/** What a worker has besides what publishing needs anyway. */
export interface Running extends PublishNeeds {
  /** When it took the target up, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** When the runtime stops it. */
  readonly functionEndsMs: number;
}

/** A step under which a part of ours failed; a send only if it had not begun may simply be tried again. */
type Broken = {
  readonly outcome: 'interrupted' | 'retry';
  readonly isOurFault: true;
  readonly atMs: number;
} & Trouble;

/** What a step came to, in the form all stages share. */
export type StepOutcome = Prepared | Sent | Verified | Broken;

/** A step is abandoned this long before its lease ends, so that its outcome can still be written. */
const RECORD_MS = 10 * SECOND_MS;

/** How long the repeatable steps may take, unless the publisher says otherwise. */
const PREPARE_MS = 10 * MINUTE_MS;
const VERIFY_MS = 40 * SECOND_MS;

/** A worker is as good as fresh for this long; a send that needs more time than it has left gets no better one. */
const FRESH_MS = 30 * SECOND_MS;

/** The wait after a step that broke, doubled each time up to the longest: over half an hour in all. */
const FIRST_WAIT_MS = 30 * SECOND_MS;
const LONGEST_WAIT_MS = 4 * MINUTE_MS;

interface At extends LoadedTarget {
  readonly stage: Stage;
  readonly handle: Handle;
}

/** The outcome of one step with the target as it is then; nothing if the target is another worker's by now. */
export type Taken = { readonly outcome: StepOutcome; readonly target: PublishingTarget } | undefined;

/**
 * Takes one step. Before a send its stage and handle are stored, and before any step a lease that outlasts
 * it, so that whoever finds the target later knows what may have happened.
 */
export async function takeStep(at: At, publisher: Publisher, running: Running): Promise<Taken> {
  const { stage, handle } = at;
  const nowMs = running.clock();
  let { target } = at;
  let hasBegun = false;
  try {
    // Opened first, so that an outage of the vault costs no send.
    const credentials = await openCredentials(at, running);
    const jobWith = (current: PublishingTarget, deadlineMs: number): Job =>
      jobOf({ ...at, target: current }, running, { handle, deadlineMs, credentials });
    const wantedMs = stepMs(stage, publisher, jobWith(target, 0));
    const deadlineMs = Math.min(nowMs + wantedMs, running.functionEndsMs - RECORD_MS);
    const isFresh = nowMs - running.startedMs < FRESH_MS;
    if (stage === 'send' && deadlineMs < nowMs + wantedMs && !isFresh) {
      return { outcome: noTime(nowMs), target };
    }
    const leaseUntilMs = deadlineMs + RECORD_MS;
    if (stage === 'send' || leaseUntilMs > Date.parse(target.lease_until ?? '')) {
      const entered = await running.targets.enter(target, { stage, handle, leaseUntilMs, nowMs });
      if (!entered) return undefined;
      target = entered;
    }
    if (stage === 'send' && target.sends === 1) {
      running.events.sendBegan(target, running.clock() - Date.parse(plannedFor(at.post)));
    }
    hasBegun = true;
    const outcome = await publisher[stage](jobWith(target, deadlineMs));
    return { outcome: judged(outcome, target, publisher), target };
  } catch (error) {
    // Whatever it was, the row says how far the step may have got; the wait gives an outage time to pass.
    running.events.stepBroke(target, error);
    const isUnsent = stage === 'send' && !hasBegun;
    return { outcome: broken(target, { isUnsent, nowMs: running.clock() }), target };
  }
}

function stepMs(stage: Stage, publisher: Publisher, job: Job): number {
  switch (stage) {
    case 'prepare':
      return publisher.prepareMs ?? PREPARE_MS;
    case 'send':
      return publisher.sendMs(job);
    case 'verify':
      return VERIFY_MS;
  }
}

/** A send that the runtime could cut off is not begun; a fresh worker has the time for it. */
const noTime = (nowMs: number): StepOutcome => ({
  outcome: 'retry',
  code: 'no_time',
  message: 'left to a fresh worker',
  atMs: nowMs + SECOND_MS,
});

const broken = (
  { interruptions }: PublishingTarget,
  { isUnsent, nowMs }: { isUnsent: boolean; nowMs: number },
): Broken => ({
  outcome: isUnsent ? 'retry' : 'interrupted',
  isOurFault: true,
  code: 'our_fault',
  message: 'a part of ours failed; it is taken up again',
  atMs: nowMs + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (interruptions - 1)),
});

/**
 * What was proved absent is sent again only so often. Where no proof can be had, the message is for the
 * person who must look; the platform's own word stays in the attempt's code.
 */
function judged(outcome: StepOutcome, { sends }: PublishingTarget, { maxSends }: Publisher): StepOutcome {
  const isOver = outcome.outcome === 'unknown' || (outcome.outcome === 'absent' && sends >= maxSends);
  return isOver ? { outcome: 'unknown', code: outcome.code, message: UNKNOWN } : outcome;
}
