import * as v from 'valibot';
import type { Found } from '../shared/idempotency/write-once.ts';
import type { Effect } from '../shared/table/effect.ts';
import { keys } from '../shared/table/keys.ts';
import { consumeDailyPost, consumePendingSchedule, releasePendingSchedule } from '../workspaces/usage.ts';
import { WorkspaceRow } from '../workspaces/workspace.ts';
import { wakeAtOf } from './due.ts';
import type { PostRow, TargetRow, WholePost } from './post.ts';
import { postItem, targetItem } from './post-rows.ts';

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

const deleteTarget = ({ workspace_id, post_id, channel_id }: TargetRow): Effect => ({
  write: { Delete: { Key: keys.target(workspace_id, post_id, channel_id) } },
  refused: stale,
});

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

/** Replaces a draft by its edited form, which may be queued. */
export function replaceEffects(before: WholePost, after: WholePost, queueing: Queueing): Effect[] {
  const kept = new Set(after.targets.map(({ channel_id }) => channel_id));
  return [
    ...quotaEffects(after.post, queueing),
    {
      write: {
        Put: {
          Item: postItem(after.post, wakeOf(after.post, queueing.nowMs)),
          ...isUnchangedDraft(before.post),
        },
      },
      refused: stale,
    },
    ...before.targets.filter(({ channel_id }) => !kept.has(channel_id)).map(deleteTarget),
    ...after.targets.map((target) => putTarget(target, after.post)),
  ];
}

/** Removes a draft with its targets. */
export const removeEffects = ({ post, targets }: WholePost): Effect[] => [
  {
    write: { Delete: { Key: keys.post(post.workspace_id, post.id), ...isUnchangedDraft(post) } },
    refused: stale,
  },
  ...targets.map(deleteTarget),
];

/**
 * Turns a queued post back into a draft, unless its publishing has begun. Its generation is raised, so
 * that every schedule and message still under way for it finds nothing to do. The waiting place comes
 * back; the slot of the day does not.
 */
export function unscheduleEffects({ post, targets }: WholePost, now: string): Effect[] {
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
    ...targets.map((target) => putTarget(target, draft)),
    ...(post.scheduled_for === null ? [] : [releasePendingSchedule(post.workspace_id)]),
  ];
}
