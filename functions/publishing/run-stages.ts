import { isoAt, MINUTE_MS, SECOND_MS } from '../shared/clock.ts';
import { recordInterruption } from './attempt.ts';
import { type Ending, finishTarget } from './finish-target.ts';
import type { LoadedTarget, PublishNeeds } from './publish-target.ts';
import type { Job, Prepared, Published, Publisher, Sent, Trouble, Verified } from './publisher.ts';
import { MAX_INTERRUPTIONS, type NextState, type Stage, type StepResult, TRANSITIONS } from './stages.ts';
import { type Handle, type PublishingTarget, plannedFor } from './target.ts';

interface Running extends PublishNeeds {
  /** When the runtime stops the worker, in milliseconds since the epoch. */
  readonly functionEndsMs: number;
}

/** A step is abandoned this long before its lease ends, so that its outcome can still be written. */
const RECORD_MS = 10 * SECOND_MS;

/** How long the repeatable steps may take. */
const PREPARE_MS = 10 * MINUTE_MS;
const VERIFY_MS = 40 * SECOND_MS;

/** A send of unknown outcome is first looked for this soon after. */
const FIRST_LOOK_MS = 10 * SECOND_MS;

/** What a person reads when only they can find out. */
const UNKNOWN = 'The platform may have published this; check before posting again.';

/** A send that the runtime could cut off is not begun; a fresh worker has the time for it. */
const NO_TIME = { outcome: 'retry', code: 'no_time', message: 'left to a fresh worker', atMs: 0 } as const;

/** What a step came to, in the form all stages share. */
type StepOutcome = Prepared | Sent | Verified;

/**
 * Takes a claimed target from stage to stage until it ends or has to wait. Before each step its stage and
 * handle are stored with a lease that outlasts the step, so that whoever finds the target later knows what
 * may have happened.
 *
 * @returns when to come back, in milliseconds since the epoch; nothing if it has ended or is another's.
 */
export async function runStages(loaded: LoadedTarget, running: Running): Promise<number | undefined> {
  const { channel } = loaded;
  let { target } = loaded;
  const publisher = running.publishers[target.platform];
  if (target.interruptions > 1) await recordInterruption(running.table, target, isoAt(running.clock()));

  const obstacle = obstacleOf(target, channel.status, publisher);
  if (!publisher || obstacle) return obstacle && end({ ...loaded, target }, obstacle, running);

  let stage = firstStage(target);
  let handle = target.handle;
  for (;;) {
    const job = (step: Partial<Job>): Job => ({
      ...loaded,
      target,
      handle,
      clock: running.clock,
      deadlineMs: 0,
      credentials: () => openCredentials(loaded, running),
      ...step,
    });
    const stepMs =
      stage === 'send' ? publisher.sendMs(job({})) : stage === 'prepare' ? PREPARE_MS : VERIFY_MS;
    const nowMs = running.clock();
    const deadlineMs = Math.min(nowMs + stepMs, running.functionEndsMs - RECORD_MS);
    if (stage === 'send' && deadlineMs < nowMs + stepMs) {
      return wait(
        { ...loaded, target },
        { stage, handle, atMs: nowMs + SECOND_MS, outcome: NO_TIME },
        running,
      );
    }

    const entered = await running.targets.enter(target, {
      stage,
      handle,
      leaseUntilMs: deadlineMs + RECORD_MS,
      nowMs,
    });
    if (!entered) return undefined;
    target = entered;
    if (stage === 'send' && target.sends === 1) {
      running.events.sendBegan(target, nowMs - Date.parse(plannedFor(loaded.post)));
    }
    const outcome = judged(await publisher[stage](job({ target, deadlineMs })), target, publisher);
    const next = nextState(stage, outcome.outcome);
    if (next === 'posted' || next === 'failed' || next === 'skipped') {
      return end({ ...loaded, target }, { status: next, outcome }, running);
    }
    if ('handle' in outcome && outcome.handle) handle = outcome.handle;
    const atMs =
      'atMs' in outcome ? outcome.atMs : outcome.outcome === 'ambiguous' ? nowMs + FIRST_LOOK_MS : undefined;
    if (atMs !== undefined)
      return wait({ ...loaded, target }, { stage: next, handle, atMs, outcome }, running);
    stage = next;
  }
}

/** The stage a claimed target goes on from. A send without a recorded outcome may have happened. */
const firstStage = ({ stage, interruptions }: PublishingTarget): Stage =>
  stage === 'send' && interruptions > 1 ? nextStage('send', 'interrupted') : stage;

const nextState = (stage: Stage, result: StepResult): NextState => {
  const table: Partial<Record<StepResult, NextState>> = TRANSITIONS[stage];
  const next = table[result];
  if (!next) throw new Error(`the outcome ${result} has no place in the stage ${stage}`);
  return next;
};

const nextStage = (stage: Stage, result: StepResult): Stage => nextState(stage, result) as Stage;

/**
 * What was proved absent is sent again only so often. Where no proof can be had, the message is for the
 * person who must look; the platform's own word stays in the attempt's code.
 */
function judged(outcome: StepOutcome, { sends }: PublishingTarget, { maxSends }: Publisher): StepOutcome {
  const isOver = outcome.outcome === 'unknown' || (outcome.outcome === 'absent' && sends >= maxSends);
  return isOver ? { outcome: 'unknown', code: outcome.code, message: UNKNOWN } : outcome;
}

interface Ended {
  readonly status: Ending['status'];
  readonly outcome: { readonly outcome: StepResult } & Partial<Trouble> & Partial<Omit<Published, 'outcome'>>;
}

/** What keeps a target from any step: its channel is gone, nobody can publish it, or it fails time and again. */
function obstacleOf(
  { interruptions, sends, platform }: PublishingTarget,
  channelStatus: string,
  publisher: Publisher | undefined,
): Ended | undefined {
  const mayBeOut = sends > 0;
  const ended = (status: Ending['status'], outcome: StepResult, code: string, message: string): Ended => ({
    status,
    outcome: { outcome, code, message },
  });
  if (interruptions > MAX_INTERRUPTIONS) {
    const message = mayBeOut
      ? UNKNOWN
      : 'We failed to publish this; nothing has gone out. Please publish it again.';
    return ended('failed', mayBeOut ? 'unknown' : 'refused', 'gave_up', message);
  }
  if (channelStatus !== 'active') {
    const message = `The channel is ${channelStatus}; connect it again to publish to it.`;
    return mayBeOut
      ? ended('failed', 'unknown', `channel_${channelStatus}`, `${message} ${UNKNOWN}`)
      : ended('skipped', 'skipped', `channel_${channelStatus}`, message);
  }
  if (!publisher) {
    return ended(
      'failed',
      'refused',
      'no_publisher',
      `Publishing to ${platform} is not set up in this deployment.`,
    );
  }
  return undefined;
}

async function openCredentials({ channel }: LoadedTarget, { vault }: Running): Promise<unknown> {
  if (!channel.credentials) throw new Error(`channel ${channel.id} has no credentials`);
  return vault.open(channel.credentials, { workspaceId: channel.workspace_id, channelId: channel.id });
}

async function end(
  { target, post }: LoadedTarget,
  { status, outcome }: Ended,
  running: Running,
): Promise<undefined> {
  const nowMs = running.clock();
  const { outcome: result, code, warning, message = warning, externalPostId, externalPostUrl } = outcome;
  const step = { at: isoAt(nowMs), result, code, message };
  const ending: Ending = { status, externalPostId, externalPostUrl, errorMessage: message ?? null, step };
  if (await finishTarget(running.table, { target, post, ending, nowMs }))
    running.events.stepEnded(target, step);
}

async function wait(
  { target }: LoadedTarget,
  to: { stage: Stage; handle: Handle; atMs: number; outcome: StepOutcome },
  running: Running,
): Promise<number | undefined> {
  const { code, message }: Partial<Trouble> = 'code' in to.outcome ? to.outcome : {};
  const step = {
    at: isoAt(running.clock()),
    result: to.outcome.outcome,
    code,
    message,
    nextAttemptAt: isoAt(to.atMs),
  };
  const { stage, handle, atMs } = to;
  const postponed = await running.targets.postpone(target, {
    stage,
    handle,
    atMs,
    errorMessage: message ?? null,
    step,
  });
  if (!postponed) return undefined;
  running.events.stepEnded(target, step);
  return atMs;
}
