import * as v from 'valibot';
import { MESSAGE_GRACE_MS } from '../posts/due.ts';
import { DAY_MS, isoAt, SECOND_MS } from '../shared/clock.ts';
import type { Write } from '../shared/table/effect.ts';
import { dueAt } from '../shared/table/indexes.ts';
import { keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { FOLLOW_UP_KINDS, FOLLOW_UP_STAGES, type FollowUpKind, type FollowUpStage } from './stages.ts';
import { Handle, type PublishingTarget, type PublishMessage } from './target.ts';

/** The row of something still to be done after a post is out. */
export const FollowUpRow = v.object({
  workspace_id: v.string(),
  post_id: v.string(),
  channel_id: v.string(),
  generation: v.number(),
  follow_up: v.picklist(FOLLOW_UP_KINDS),
  stage: v.picklist(FOLLOW_UP_STAGES),
  handle: Handle,
  /** Raised by every worker that takes it up; writes of earlier ones are refused. */
  fence: v.number(),
  lease_until: v.optional(v.string()),
  next_attempt_at: v.optional(v.string()),
});
export type FollowUpRow = v.InferOutput<typeof FollowUpRow>;

const keyOf = ({ workspace_id, post_id, channel_id, follow_up }: Named) =>
  keys.followUp(workspace_id, post_id, channel_id, follow_up);

type Named = Pick<FollowUpRow, 'workspace_id' | 'post_id' | 'channel_id' | 'follow_up'>;

/** The write that asks for a follow-up, in the transaction that ends the target as posted. */
export function putFollowUp(
  target: PublishingTarget,
  { kind, handle }: { readonly kind: FollowUpKind; readonly handle: Handle },
  nowMs: number,
): Write {
  const { workspace_id, post_id, channel_id, generation } = target;
  const row: FollowUpRow = {
    ...{ workspace_id, post_id, channel_id, generation, follow_up: kind, handle },
    stage: 'prepare',
    fence: 0,
  };
  return { Put: { Item: { ...keyOf(row), ...row, ...dueAt(post_id, isoAt(nowMs + MESSAGE_GRACE_MS)) } } };
}

/** The message that drives a follow-up on. */
export const followUpMessage = (
  { post_id, workspace_id, channel_id, generation }: PublishingTarget,
  kind: FollowUpKind,
): PublishMessage => ({
  ...{ workspace_id, post_id, channel_id, generation, follow_up: kind },
});

/** Takes a follow-up up; nothing if another worker has it, it is not its time, or it is over. */
export async function claimFollowUp(
  table: ServiceTable,
  name: Named,
  { nowMs, leaseMs }: { nowMs: number; leaseMs: number },
): Promise<FollowUpRow | undefined> {
  const due = dueAt(name.post_id, isoAt(nowMs + leaseMs + 5 * SECOND_MS));
  const updated = await table.update({
    Key: keyOf(name),
    UpdateExpression:
      'SET fence = fence + :one, lease_until = :lease, due_shard = :shard, wake_at = :wake REMOVE next_attempt_at, overdue_since',
    ConditionExpression: [
      'attribute_exists(pk)',
      'attribute_not_exists(ended_at)',
      '(attribute_not_exists(lease_until) OR lease_until <= :now)',
      '(attribute_not_exists(next_attempt_at) OR next_attempt_at <= :now)',
    ].join(' AND '),
    ExpressionAttributeValues: {
      ':one': 1,
      ':now': isoAt(nowMs),
      ':lease': isoAt(nowMs + leaseMs),
      ':shard': due.due_shard,
      ':wake': due.wake_at,
    },
  });
  return updated.outcome === 'updated' ? v.parse(FollowUpRow, updated.row) : undefined;
}

/** Moves it to a stage, held until `leaseUntilMs` or let go until `atMs`; false if the fence is lost. */
export async function moveFollowUp(
  table: ServiceTable,
  row: FollowUpRow,
  to: { stage: FollowUpStage; handle: Handle } & ({ leaseUntilMs: number } | { atMs: number }),
): Promise<boolean> {
  const isHeld = 'leaseUntilMs' in to;
  const due = dueAt(
    row.post_id,
    isoAt(isHeld ? to.leaseUntilMs + 5 * SECOND_MS : to.atMs + MESSAGE_GRACE_MS),
  );
  const updated = await table.update({
    Key: keyOf(row),
    UpdateExpression: [
      `SET stage = :stage, handle = :handle, due_shard = :shard, wake_at = :wake`,
      isHeld ? ', lease_until = :until' : ', next_attempt_at = :until REMOVE lease_until',
    ].join(''),
    ConditionExpression: 'fence = :fence',
    ExpressionAttributeValues: {
      ':fence': row.fence,
      ':stage': to.stage,
      ':handle': to.handle,
      ':shard': due.due_shard,
      ':wake': due.wake_at,
      ':until': isoAt(isHeld ? to.leaseUntilMs : to.atMs),
    },
  });
  return updated.outcome === 'updated';
}

/** How long the row of an ended follow-up stays, to be looked at. */
const KEPT_MS = 7 * DAY_MS;

/** The write that ends it: nothing drives it on any more, and in a week it is gone. */
export const endFollowUp = (row: FollowUpRow, nowMs: number): Write => ({
  Update: {
    Key: keyOf(row),
    UpdateExpression:
      'SET ended_at = :now, expires_at_seconds = :expires REMOVE lease_until, next_attempt_at, due_shard, wake_at',
    ConditionExpression: 'fence = :fence',
    ExpressionAttributeValues: {
      ':fence': row.fence,
      ':now': isoAt(nowMs),
      ':expires': Math.floor((nowMs + KEPT_MS) / SECOND_MS),
    },
  },
});
