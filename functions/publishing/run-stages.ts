import { isoAt, SECOND_MS } from '../shared/clock.ts';
import { recordInterruption } from './attempt.ts';
import { finishTarget } from './finish-target.ts';
import { followUpMessage } from './follow-up.ts';
import { obstacleOf } from './obstacle.ts';
import { persist } from './persist.ts';
import type { LoadedTarget } from './publish-target.ts';
import type { Published, Trouble } from './publisher.ts';
import { type End, isEnd, nextState, type Stage, type StepResult, TRANSITIONS } from './stages.ts';
import { type Running, type StepOutcome, takeStep } from './take-step.ts';
import type { Handle, PublishingTarget } from './target.ts';

/** A send of unknown outcome is first looked for this soon after. */
const FIRST_LOOK_MS = 10 * SECOND_MS;

/**
 * A send whose worker vanished may still be on its way. Its deadline lies before the end of the lease; this
 * covers what two workers' clocks may differ by, and the network.
 */
const SETTLES_MS = 60 * SECOND_MS;

type Outcome = StepOutcome | ({ readonly outcome: 'skipped' } & Trouble);

/** What outcomes may tell beside what they are. */
type Told = { readonly outcome: StepResult; readonly isOurFault?: boolean } & Partial<Trouble> &
  Partial<Omit<Published, 'outcome'>>;

/** Where a target stands between two steps. */
interface Standing extends LoadedTarget {
  readonly handle: Handle;
}

/**
 * Takes a claimed target from stage to stage, as TRANSITIONS says, until it ends or has to wait.
 *
 * @returns when to come back, in milliseconds since the epoch; nothing if it has ended or is another's.
 */
export async function runStages(loaded: LoadedTarget, running: Running): Promise<number | undefined> {
  if (loaded.target.interruptions > 1) await noteInterruption(loaded.target, running);
  const publisher = running.publishers[loaded.target.platform];
  const obstacle = await obstacleOf(loaded, publisher, { table: running.table, nowMs: running.clock() });

  let standing: Standing = { ...loaded, handle: loaded.target.handle };
  // A send that stands in the row has no outcome: whoever began it is gone.
  let stage: Stage = TRANSITIONS[loaded.target.stage].interrupted;
  let outcome: Outcome | undefined = obstacle ?? settling(loaded.target, running, publisher?.isRepeatable);
  for (;;) {
    if (!outcome) {
      const taken = publisher && (await takeStep({ ...standing, stage }, publisher, running));
      if (!taken) return undefined;
      standing = { ...standing, target: taken.target };
      outcome = taken.outcome;
    }
    if ('handle' in outcome && outcome.handle) standing = { ...standing, handle: outcome.handle };
    const next = nextState(stage, outcome.outcome);
    if (isEnd(next)) return end(standing, { stage, status: next, outcome }, running);
    const atMs = returnsAt(outcome, running.clock());
    if (atMs !== undefined) return wait(standing, { stage, next, atMs, outcome }, running);
    stage = next;
    outcome = undefined;
  }
}

/** A send found without an outcome must settle before it is looked for, unless it may be repeated anyway. */
const settling = ({ stage }: PublishingTarget, { clock }: Running, isRepeatable = false) =>
  stage === 'send' && !isRepeatable
    ? ({
        outcome: 'processing',
        code: 'cut_off',
        message: 'the send was cut off; what became of it is looked for',
        atMs: clock() + SETTLES_MS,
      } as const)
    : undefined;

const returnsAt = (outcome: Outcome, nowMs: number): number | undefined => {
  if ('atMs' in outcome) return outcome.atMs;
  return outcome.outcome === 'ambiguous' ? nowMs + FIRST_LOOK_MS : undefined;
};

async function noteInterruption(target: PublishingTarget, { table, clock, events }: Running): Promise<void> {
  const isNews = await recordInterruption(table, target, isoAt(clock()));
  if (isNews) events.stepEnded(target, { stage: target.stage, result: 'interrupted' });
}

async function end(
  { target, post }: LoadedTarget,
  { stage, status, outcome: ended }: { stage: Stage; status: End; outcome: Outcome },
  running: Running,
): Promise<undefined> {
  const nowMs = running.clock();
  const { code, warning, message = warning, externalPostId, externalPostUrl, followUps }: Told = ended;
  const step = { at: isoAt(nowMs), stage, result: ended.outcome, code, message };
  const ending = { status, externalPostId, externalPostUrl, errorMessage: message ?? null, followUps, step };
  const hasEnded = await persist(() => finishTarget(running.table, { target, post, ending, nowMs }), running);
  if (!hasEnded) return;
  running.events.stepEnded(target, step);
  // A message each, so that they need not wait for the sweeper.
  for (const { kind } of followUps ?? []) {
    await running.publishQueue.send({ body: followUpMessage(target, kind) });
  }
}

async function wait(
  { target, handle }: Standing,
  { stage, next, atMs, outcome }: { stage: Stage; next: Stage; atMs: number; outcome: Outcome },
  running: Running,
): Promise<number | undefined> {
  const {
    code,
    message,
    isOurFault = false,
  }: Partial<Trouble> & { isOurFault?: boolean } = 'code' in outcome ? outcome : {};
  const at = isoAt(running.clock());
  const result = outcome.outcome;
  const step =
    result === 'waiting' ? undefined : { at, stage, result, code, message, nextAttemptAt: isoAt(atMs) };
  const interruptions = isOurFault ? target.interruptions : 0;
  const to = { stage: next, handle, atMs, errorMessage: message ?? null, interruptions, step };
  if (!(await persist(() => running.targets.postpone(target, to), running))) return undefined;
  if (step) running.events.stepEnded(target, step);
  return atMs;
}
