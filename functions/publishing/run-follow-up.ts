import { isoAt, MINUTE_MS, SECOND_MS } from '../shared/clock.ts';
import type { Write } from '../shared/table/effect.ts';
import { putAttempt } from './attempt.ts';
import { takeTurn } from './channel-turn.ts';
import { claimFollowUp, endFollowUp, type FollowUpRow, moveFollowUp } from './follow-up.ts';
import { jobOf, openCredentials } from './job.ts';
import type { LoadedTarget, PublishNeeds } from './publish-target.ts';
import type { FollowedUp, Publisher } from './publisher.ts';
import { FOLLOW_UP_KINDS, FOLLOW_UP_TRANSITIONS, type FollowUpKind, type FollowUpStage } from './stages.ts';
import type { PublishMessage } from './target.ts';
import { targetKey } from './target-store.ts';

/** Longer than the longest step: a story's upload, in calls of two minutes at most. */
const LEASE_MS = 5 * MINUTE_MS;

/** So much of the lease is left for writing down what came of a step. */
const RECORD_MS = 10 * SECOND_MS;

interface Following extends PublishNeeds {
  readonly functionEndsMs: number;
  readonly load: (name: PublishMessage) => Promise<LoadedTarget>;
}

/**
 * Takes a follow-up as far as it goes now. It never touches the status of its target. Safe to run twice:
 * only one worker claims it, and a send that was begun is never begun again.
 *
 * @returns when to come back, in milliseconds since the epoch; nothing if it is over or another's.
 */
export async function runFollowUp(
  message: PublishMessage & { readonly follow_up: FollowUpKind },
  needs: Following,
): Promise<number | undefined> {
  const { table, clock, publishers } = needs;
  const nowMs = clock();
  const row = await claimFollowUp(table, message, { nowMs, leaseMs: LEASE_MS });
  if (!row) return undefined;
  const loaded = await needs.load(message);
  const publisher = publishers[loaded.target.platform];
  if (row.stage === 'send')
    return end(row, loaded, { outcome: 'refused', code: 'cut_off', message: CUT_OFF }, needs);
  if (!publisher?.followUp || loaded.channel.status !== 'active' || loaded.target.status !== 'posted') {
    const gone = 'the channel can no longer be published to';
    return end(row, loaded, { outcome: 'refused', code: 'no_channel', message: gone }, needs);
  }
  if (row.fence > MAX_CLAIMS) {
    return end(row, loaded, { outcome: 'refused', code: 'gave_up', message: GAVE_UP }, needs);
  }
  const turn = await takeTurn(loaded.target, needs.functionEndsMs, needs);
  if (turn.outcome === 'wait') {
    const { stage, handle } = row;
    return (await moveFollowUp(table, row, { stage, handle, atMs: turn.atMs })) ? turn.atMs : undefined;
  }
  try {
    return await steps(row, loaded, publisher, needs);
  } finally {
    await turn.release();
  }
}

/** Enough for an hour of waiting for the platform, and for others' turns; then it is no longer worth it. */
const MAX_CLAIMS = 200;
const GAVE_UP = 'this did not come about in many tries; the post itself is out';

const CUT_OFF = 'this was cut off on its way out; it is not made twice';

async function steps(
  claimed: FollowUpRow,
  loaded: LoadedTarget,
  publisher: Publisher,
  needs: Following,
): Promise<number | undefined> {
  const { clock, table } = needs;
  const credentials = await openCredentials(loaded, needs);
  let row = claimed;
  for (;;) {
    const { stage, handle, follow_up } = row;
    const deadlineMs = Math.min(clock() + LEASE_MS, needs.functionEndsMs) - RECORD_MS;
    const job = jobOf(loaded, needs, { handle, deadlineMs, credentials });
    const outcome = await publisher.followUp?.(follow_up, stage, job);
    if (!outcome) return undefined;
    const next = nextOf(stage, outcome);
    if (next === 'done' || next === 'dropped') return end(row, loaded, outcome, needs);
    const kept = ('handle' in outcome && outcome.handle) || handle;
    if ('atMs' in outcome) {
      const { atMs } = outcome;
      return (await moveFollowUp(table, row, { stage: next, handle: kept, atMs })) ? atMs : undefined;
    }
    const leaseUntilMs = clock() + LEASE_MS;
    if (!(await moveFollowUp(table, row, { stage: next, handle: kept, leaseUntilMs }))) return undefined;
    row = { ...row, stage: next, handle: kept };
  }
}

const nextOf = (stage: FollowUpStage, { outcome }: FollowedUp) => {
  const table: Partial<Record<string, FollowUpStage | 'done' | 'dropped'>> = FOLLOW_UP_TRANSITIONS[stage];
  const next = table[outcome];
  if (!next) throw new Error(`the outcome ${outcome} has no place in the stage ${stage} of a follow-up`);
  return next;
};

/** Ends a follow-up: its row goes, an attempt says what came of it, and an address found is filled in. */
async function end(
  row: FollowUpRow,
  { target }: LoadedTarget,
  outcome: FollowedUp,
  { table, clock, events }: Following,
): Promise<undefined> {
  const { code, message }: { code?: string; message?: string } = outcome.outcome === 'refused' ? outcome : {};
  const step = {
    at: isoAt(clock()),
    stage: row.follow_up,
    result: outcome.outcome === 'done' ? 'done' : 'refused',
    code,
    message,
  } as const;
  const found = outcome.outcome === 'done' ? outcome : undefined;
  const { external_post_id, external_post_url } = target;
  const fillIn: Write = {
    Update: {
      Key: targetKey(target),
      UpdateExpression: 'SET external_post_id = :id, external_post_url = :url',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: {
        ':id': found?.id ?? external_post_id,
        ':url': found?.url ?? external_post_url,
      },
    },
  };
  const committed = await table.commit([
    endFollowUp(row, clock()),
    putAttempt({ ...target, fence: attemptNumber(target.fence, row) }, step),
    ...(found?.id === undefined && found?.url === undefined ? [] : [fillIn]),
  ]);
  if (committed.outcome === 'committed') events.stepEnded(target, step);
}

/** Attempts of follow-ups come after the target's own, and no two share a number. */
const attemptNumber = (fence: number, row: FollowUpRow): number =>
  fence + row.fence * FOLLOW_UP_KINDS.length + FOLLOW_UP_KINDS.indexOf(row.follow_up);
