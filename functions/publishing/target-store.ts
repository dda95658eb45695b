import * as v from 'valibot';
import { MESSAGE_GRACE_MS } from '../posts/due.ts';
import { isoAt, SECOND_MS } from '../shared/clock.ts';
import { dueAt } from '../shared/table/indexes.ts';
import { keys } from '../shared/table/keys.ts';
import type { ServiceTable, Updated } from '../shared/table/service-table.ts';
import { putAttempt, type StepRecord } from './attempt.ts';
import type { Stage } from './stages.ts';
import { type Handle, PublishingTarget, type PublishMessage, type TargetName } from './target.ts';

/** How a worker's attempt to take a target up ended. */
export type Claimed =
  | { readonly outcome: 'claimed'; readonly target: PublishingTarget }
  /** Its next step is not due yet. */
  | { readonly outcome: 'early'; readonly atMs: number }
  /** It has ended, is of another generation, or another worker is at it. */
  | { readonly outcome: 'nothing to do' };

/** The steps of one target between its start and its end; each is refused to a worker that lost its fence. */
export interface TargetStore {
  claim(message: PublishMessage, terms: { nowMs: number; leaseMs: number }): Promise<Claimed>;
  /** Moves to a stage with its handle, and holds the target until `leaseUntilMs`; undefined if the fence is lost. */
  enter(
    target: PublishingTarget,
    to: { stage: Stage; handle: Handle; leaseUntilMs: number; nowMs: number },
  ): Promise<PublishingTarget | undefined>;
  /** Lets go until a later step, and records what came of this one, if one was taken; false if the fence is lost. */
  postpone(target: PublishingTarget, to: Postponed): Promise<boolean>;
}

export interface Postponed {
  readonly stage: Stage;
  readonly handle?: Handle;
  readonly atMs: number;
  readonly errorMessage: string | null;
  /** Times in a row it was taken up without an outcome, this time included. */
  readonly interruptions: number;
  readonly step: StepRecord | undefined;
}

export const targetKey = ({ workspace_id, post_id, channel_id }: TargetName) =>
  keys.target(workspace_id, post_id, channel_id);

/** Statuses in which there is still something to do. */
export const OPEN_STATUSES = ['pending', 'posting', 'awaiting_platform'] as const;

const openStatuses = Object.fromEntries(OPEN_STATUSES.map((status) => [`:${status}`, status]));
const IS_OPEN = `#status IN (${Object.keys(openStatuses).join(', ')})`;

/** After a lease has run out this long, the sweeper may take the target to be abandoned. */
const LEASE_GRACE_MS = 5 * SECOND_MS;

/** Targets being published, over the table. */
export function targetStore(table: ServiceTable): TargetStore {
  return {
    async claim(message, { nowMs, leaseMs }) {
      const leaseUntilMs = nowMs + leaseMs;
      const due = dueAt(message.post_id, isoAt(leaseUntilMs + LEASE_GRACE_MS));
      const updated = await table.update({
        Key: targetKey(message),
        UpdateExpression: [
          'SET #status = :posting, fence = if_not_exists(fence, :none) + :one, lease_until = :lease',
          'interruptions = if_not_exists(interruptions, :none) + :one',
          'due_shard = :shard, wake_at = :wake REMOVE next_attempt_at',
        ].join(', '),
        ConditionExpression: [
          'generation = :generation',
          IS_OPEN,
          '(attribute_not_exists(lease_until) OR lease_until <= :now)',
          '(attribute_not_exists(next_attempt_at) OR next_attempt_at <= :now)',
        ].join(' AND '),
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ...openStatuses,
          ':generation': message.generation,
          ':none': 0,
          ':one': 1,
          ':now': isoAt(nowMs),
          ':lease': isoAt(leaseUntilMs),
          ':shard': due.due_shard,
          ':wake': due.wake_at,
        },
      });
      return updated.outcome === 'updated'
        ? { outcome: 'claimed', target: v.parse(PublishingTarget, updated.row) }
        : whyNotClaimed(updated, message, nowMs);
    },

    async enter(target, { stage, handle, leaseUntilMs, nowMs }) {
      const due = dueAt(target.post_id, isoAt(leaseUntilMs + LEASE_GRACE_MS));
      const isSend = stage === 'send';
      const updated = await table.update({
        Key: targetKey(target),
        UpdateExpression: [
          'SET stage = :stage, handle = :handle, lease_until = :lease, due_shard = :shard, wake_at = :wake',
          ...(isSend ? ['sends = if_not_exists(sends, :none) + :one', 'looks = :none'] : []),
          ...(isSend ? ['first_sent_at = if_not_exists(first_sent_at, :now)'] : []),
        ].join(', '),
        ConditionExpression: 'fence = :fence AND lease_until > :now',
        ExpressionAttributeValues: {
          ':fence': target.fence,
          ':now': isoAt(nowMs),
          ':stage': stage,
          ':handle': handle,
          ':lease': isoAt(leaseUntilMs),
          ':shard': due.due_shard,
          ':wake': due.wake_at,
          ...(isSend && { ':none': 0, ':one': 1 }),
        },
      });
      return updated.outcome === 'updated' ? v.parse(PublishingTarget, updated.row) : undefined;
    },

    async postpone(target, { stage, handle = target.handle, atMs, errorMessage, interruptions, step }) {
      const due = dueAt(target.post_id, isoAt(atMs + MESSAGE_GRACE_MS));
      const committed = await table.commit([
        {
          Update: {
            Key: targetKey(target),
            UpdateExpression: [
              'SET #status = :status, stage = :stage, handle = :handle, error_message = :error',
              'next_attempt_at = :at, interruptions = :interruptions, due_shard = :shard, wake_at = :wake',
              'looks = if_not_exists(looks, :none) + :look REMOVE lease_until, overdue_since',
            ].join(', '),
            ConditionExpression: `fence = :fence AND ${IS_OPEN}`,
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ...openStatuses,
              ':fence': target.fence,
              // Until a send has begun the target is still ours to prepare; after it, it is the platform's turn.
              ':status': target.sends > 0 ? 'awaiting_platform' : 'posting',
              ':stage': stage,
              ':handle': handle,
              ':error': errorMessage,
              ':at': isoAt(atMs),
              ':none': 0,
              ':interruptions': interruptions,
              ':look': step?.stage === 'verify' ? 1 : 0,
              ':shard': due.due_shard,
              ':wake': due.wake_at,
            },
          },
        },
        ...(step ? [putAttempt(target, step)] : []),
      ]);
      return committed.outcome === 'committed';
    },
  };
}

function whyNotClaimed(
  { current }: Extract<Updated, { outcome: 'refused' }>,
  message: PublishMessage,
  nowMs: number,
): Claimed {
  const read = v.safeParse(PublishingTarget, current);
  if (!read.success || read.output.generation !== message.generation) return { outcome: 'nothing to do' };
  const { status, next_attempt_at } = read.output;
  const isOpen = OPEN_STATUSES.some((open) => open === status);
  if (!isOpen || next_attempt_at === undefined) return { outcome: 'nothing to do' };
  const atMs = Date.parse(next_attempt_at);
  return atMs > nowMs ? { outcome: 'early', atMs } : { outcome: 'nothing to do' };
}
