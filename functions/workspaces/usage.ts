import { DAY_MS, isoAt } from '../shared/clock.ts';
import { RequestError } from '../shared/request-error.ts';
import type { Effect } from '../shared/table/effect.ts';
import { keys, type Row, type RowKey } from '../shared/table/keys.ts';
import type { Workspace, WorkspaceRow } from './workspace.ts';

/** Counters of a day are kept this long for the operator's questions, then expire. */
const KEPT_DAYS = 40;

const dayOf = (nowMs: number) => isoAt(nowMs).slice(0, 10);
const nextDayMs = (nowMs: number) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;

/** The counter of posts accepted on a UTC day. */
export const dayUsageKey = (workspaceId: string, nowMs: number): RowKey =>
  keys.usage(workspaceId, dayOf(nowMs));

/** What texts written by a model cost in a UTC month. */
export const aiUsageKey = (workspaceId: string, nowMs: number): RowKey =>
  keys.usage(workspaceId, `AI#${isoAt(nowMs).slice(0, 7)}`);

/** The counter of posts waiting for their time. */
export const pendingUsageKey = (workspaceId: string): RowKey => keys.usage(workspaceId, 'PENDING');

const used = (row: Row | undefined): number => (typeof row?.used === 'number' ? row.used : 0);

/** What counter rows say, as clients see it. */
export const usageNow = (rows: Record<'day' | 'pending' | 'ai', Row | undefined>): Workspace['usage'] => ({
  posts_today: used(rows.day),
  pending_schedules: used(rows.pending),
  ai_spent_micro_dollars: used(rows.ai),
});

/** A counter that is not there yet stands at nothing, which is below any limit but none. */
const isBelow = (limit: number) =>
  limit > 0 ? '(attribute_not_exists(used) OR used < :limit)' : 'used < :limit';

/**
 * Takes one of the day's posts, exactly up to the limit however many do so at once.
 * Refused with quota_exceeded; the day's slots come back at midnight UTC.
 */
export function consumeDailyPost(workspace: WorkspaceRow, upgradeUrl: string, nowMs: number): Effect {
  const limit = workspace.limits.posts_per_day;
  const resetAt = isoAt(nextDayMs(nowMs));
  return {
    write: {
      Update: {
        Key: dayUsageKey(workspace.id, nowMs),
        UpdateExpression: 'SET used = if_not_exists(used, :none) + :one, expires_at_seconds = :expires',
        ConditionExpression: isBelow(limit),
        ExpressionAttributeValues: {
          ':none': 0,
          ':one': 1,
          ':limit': limit,
          ':expires': Math.ceil((nowMs + KEPT_DAYS * DAY_MS) / 1000),
        },
      },
    },
    refused: (current) =>
      new RequestError(
        'quota_exceeded',
        `the plan allows ${limit} posts a day (UTC) and all are used; wait until ${resetAt} or change the plan`,
        { details: { used: used(current), limit, reset_at: resetAt, upgrade_url: upgradeUrl } },
      ),
  };
}

/** Takes a place among the posts waiting for their time. Refused with quota_exceeded. */
export function consumePendingSchedule(workspace: WorkspaceRow, upgradeUrl: string): Effect {
  const limit = workspace.limits.pending_schedules;
  return {
    write: {
      Update: {
        Key: pendingUsageKey(workspace.id),
        UpdateExpression: 'SET used = if_not_exists(used, :none) + :one',
        ConditionExpression: isBelow(limit),
        ExpressionAttributeValues: { ':none': 0, ':one': 1, ':limit': limit },
      },
    },
    refused: (current) =>
      new RequestError(
        'quota_exceeded',
        `the plan allows ${limit} posts waiting for their time; unschedule one, wait for one to be published, or change the plan`,
        // No moment is sure: a place comes free whenever a waiting post goes out or is unscheduled.
        { details: { used: used(current), limit, reset_at: null, upgrade_url: upgradeUrl } },
      ),
  };
}

/** Gives a place among the waiting posts back: the post was unscheduled, or its time has come. */
export const releasePendingSchedule = (workspaceId: string): Effect => ({
  write: {
    Update: {
      Key: pendingUsageKey(workspaceId),
      UpdateExpression: 'SET used = used - :one',
      ExpressionAttributeValues: { ':one': 1 },
    },
  },
  refused: () => 'read again',
});
