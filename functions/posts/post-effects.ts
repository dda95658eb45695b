import * as v from 'valibot';
import type { Effect, Write } from '../shared/table/effect.ts';
import { type Found, keys, type RowKey } from '../shared/table/keys.ts';
import { consumeDailyPost, consumePendingSchedule, releasePendingSchedule } from '../workspaces/usage.ts';
import { WorkspaceRow } from '../workspaces/workspace.ts';
import { wakeAtOf } from './due.ts';
import type { PostRow, TargetRow, WholePost } from './post.ts';
import { postItem, targetItem, targetKeys, targetsInStatus } from './post-rows.ts';

interface Queueing {
  readonly found: Found;
  readonly nowMs: number;
  readonly upgradeUrl: string;
}

const stale = () => 'read again' as const;

/** The writes that queue a post take a slot of the day, and a waiting place if it has a time. */
function quotaEffects(post: PostRow, { found, nowMs, upgradeUrl }: Queueing): Effect[] {
  if (post.status !== 'queued') return [];
  const workspace = v.parse(WorkspaceRow, found(keys.workspace(post.workspace_id)));
  return [
    consumeDailyPost(workspace, upgradeUrl, nowMs),
    ...(post.scheduled_for === null ? [] : [consumePendingSchedule(workspace, upgradeUrl)]),
  ];
}

const putTarget = (target: TargetRow, post: PostRow): Effect => ({
  write: { Put: { Item: targetItem(target, post) } },
  refused: stale,
});

const deleteTarget = (Key: RowKey): Effect => ({ write: { Delete: { Key } }, refused: stale });

const wakeOf = (post: PostRow, nowMs: number) => (post.status === 'queued' ? wakeAtOf(post, nowMs) : null);

/** Writes a new post with its targets, and takes its quota if it is queued. */
export const createEffects = ({ post, targets }: WholePost, queueing: Queueing): Effect[] => [
  ...quotaEffects(post, queueing),
  {
    write: {
      Put: {
        Item: postItem(post, wakeOf(post, queueing.nowMs)),
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    refused: stale,
  },
  ...targets.map((target) => putTarget(target, post)),
];

/** The post must still be the draft that was read. */
const isUnchangedDraft = ({ revision }: PostRow) => ({
  ConditionExpression: '#status = :draft AND revision = :revision',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':draft': 'draft', ':revision': revision },
});

/** Changes nothing, and holds while the draft is the one that was read. */
export const draftStands = (post: PostRow): Effect => ({
  write: { ConditionCheck: { Key: keys.post(post.workspace_id, post.id), ...isUnchangedDraft(post) } },
  refused: stale,
});

/**
 * Replaces a draft by its edited form, which may be queued. The draft's targets are those that were read with
 * it: whatever writes targets of a draft raises its revision, so the one condition speaks for all its rows.
 */
export function replaceEffects(before: PostRow, after: WholePost, queueing: Queueing): Effect[] {
  const gone = before.channel_ids.filter((id) => !after.post.channel_ids.includes(id));
  return [
    ...quotaEffects(after.post, queueing),
    {
      write: {
        Put: {
          Item: postItem(after.post, wakeOf(after.post, queueing.nowMs)),
          ...isUnchangedDraft(before),
        },
      },
      refused: stale,
    },
    ...targetKeys({ ...before, channel_ids: gone }).map(deleteTarget),
    ...after.targets.map((target) => putTarget(target, after.post)),
  ];
}

/** Removes a draft with its targets. */
export const removeEffects = (post: PostRow): Effect[] => [
  {
    write: { Delete: { Key: keys.post(post.workspace_id, post.id), ...isUnchangedDraft(post) } },
    refused: stale,
  },
  ...targetKeys(post).map(deleteTarget),
];

/**
 * Turns a queued post back into a draft, unless its publishing has begun. Its generation is raised, so
 * that every schedule and message still under way for it finds nothing to do. The waiting place comes
 * back; the slot of the day does not.
 */
export function unscheduleEffects(post: PostRow, now: string): Effect[] {
  const draft: PostRow = {
    ...post,
    status: 'draft',
    scheduled_for: null,
    queued_at: null,
    generation: post.generation + 1,
    revision: post.revision + 1,
    updated_at: now,
  };
  return [
    {
      write: {
        Put: {
          Item: postItem(draft, null),
          ConditionExpression: '#status = :queued AND generation = :generation',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':queued': 'queued', ':generation': post.generation },
        },
      },
      refused: stale,
    },
    ...post.channel_ids.map((channelId) => ({
      write: {
        Update: {
          Key: keys.target(post.workspace_id, post.id, channelId),
          UpdateExpression: 'SET targets_in_status = :index REMOVE scheduled_in',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: {
            ':index': targetsInStatus(post.workspace_id, channelId, draft.status),
          },
        },
      },
      refused: stale,
    })),
    ...(post.scheduled_for === null ? [] : [releasePendingSchedule(post.workspace_id)]),
  ];
}

/**
 * Takes a queued post whose time has passed out of the lists of those that wait for theirs. Nothing else
 * changes: it is still to be published.
 */
export const overdueWrites = (post: PostRow): Write[] => [
  {
    Update: {
      Key: keys.post(post.workspace_id, post.id),
      UpdateExpression: 'REMOVE scheduled_in',
      ConditionExpression: '#status = :queued AND generation = :generation',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':queued': 'queued', ':generation': post.generation },
    },
  },
  ...targetKeys(post).map((Key) => ({
    Update: { Key, UpdateExpression: 'REMOVE scheduled_in', ConditionExpression: 'attribute_exists(pk)' },
  })),
];
