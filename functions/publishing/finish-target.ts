import * as v from 'valibot';
import { PostRow } from '../posts/post.ts';
import { postsInStatus, targetsInStatus } from '../posts/post-rows.ts';
import { isoAt } from '../shared/clock.ts';
import type { Write } from '../shared/table/effect.ts';
import { keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { putAttempt, type StepRecord } from './attempt.ts';
import { putFollowUp } from './follow-up.ts';
import type { Published } from './publisher.ts';
import type { End } from './stages.ts';
import type { PublishingTarget } from './target.ts';
import { OPEN_STATUSES, targetKey } from './target-store.ts';

/** How a target ended. */
export interface Ending {
  readonly status: End;
  readonly externalPostId?: string | undefined;
  readonly externalPostUrl?: string | undefined;
  /** Why it failed, or what a person should know although it was posted. */
  readonly errorMessage: string | null;
  /** What is still to be done now that it is out. */
  readonly followUps?: Published['followUps'];
  readonly step: StepRecord;
}

/** Against how many others ending at the same moment a target can lose; a post has at most 25. */
const MAX_ROUNDS = 40;

/**
 * Ends a target, and with the last one its post, in one transaction: no post is ever left "posting" with
 * nothing under way.
 *
 * A success is recorded whoever brings it: it is a fact, though the lease may be lost and another worker
 * may already have given up. All other endings need the fence. Safe to run twice: the second run finds the
 * target ended and changes nothing.
 *
 * @returns whether the target has ended so, now or before.
 */
export async function finishTarget(
  table: ServiceTable,
  { target, post, ending, nowMs }: { target: PublishingTarget; post: PostRow; ending: Ending; nowMs: number },
): Promise<boolean> {
  let current = post;
  let wasFailed = false;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const after = postAfter(current, ending, wasFailed);
    const committed = await table.commit([
      endTarget(target, { ending, after, wasFailed }),
      movePost(current, after, nowMs),
      putAttempt(target, ending.step),
      ...(ending.followUps ?? []).map((each) => putFollowUp(target, each, nowMs)),
      ...(after.status === current.status ? [] : moveIndexes(target, after)),
    ]);
    if (committed.outcome === 'committed') return true;
    const row = committed.current;
    if (row === undefined) return false;
    if (committed.index === 0) {
      // Only a success may still change an ended target, and only one that was given up.
      if (ending.status !== 'posted' || row.status !== 'failed' || wasFailed)
        return row.status === ending.status;
      wasFailed = true;
    } else {
      current = v.parse(PostRow, row);
    }
  }
  throw new Error(`target ${target.id} lost ${MAX_ROUNDS} races to end; it is tried again`);
}

/** The post after one more of its targets has ended. */
function postAfter(post: PostRow, { status }: Ending, wasFailed: boolean): PostRow {
  const open_targets = post.open_targets - (wasFailed ? 0 : 1);
  const posted_targets = post.posted_targets + (status === 'posted' ? 1 : 0);
  if (open_targets > 0) return { ...post, open_targets, posted_targets };
  const all = post.channel_ids.length;
  const ended = posted_targets === all ? 'posted' : posted_targets > 0 ? 'partial' : 'failed';
  return { ...post, status: ended, open_targets, posted_targets };
}

function endTarget(
  target: PublishingTarget,
  { ending, after, wasFailed }: { ending: Ending; after: PostRow; wasFailed: boolean },
): Write {
  const isFact = ending.status === 'posted';
  const open = wasFailed ? ['failed'] : [...OPEN_STATUSES];
  return {
    Update: {
      Key: targetKey(target),
      UpdateExpression: [
        'SET #status = :status, external_post_id = :id, external_post_url = :url, error_message = :error,',
        'interruptions = :none, targets_in_status = :index REMOVE',
        'lease_until, next_attempt_at, due_shard, wake_at, overdue_since',
      ].join(' '),
      ConditionExpression: [
        'generation = :generation',
        `#status IN (${open.map((_, index) => `:open${index}`).join(', ')})`,
        ...(isFact ? [] : ['fence = :fence']),
      ].join(' AND '),
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ...Object.fromEntries(open.map((status, index) => [`:open${index}`, status])),
        ...(!isFact && { ':fence': target.fence }),
        ':generation': target.generation,
        ':status': ending.status,
        ':id': ending.externalPostId ?? null,
        ':url': ending.externalPostUrl ?? null,
        ':error': ending.errorMessage,
        ':none': 0,
        ':index': targetsInStatus(target.workspace_id, target.channel_id, after.status),
      },
    },
  };
}

/** Condition on the counters that were read: another target that ended meanwhile makes this one look again. */
function movePost(before: PostRow, after: PostRow, nowMs: number): Write {
  return {
    Update: {
      Key: keys.post(before.workspace_id, before.id),
      UpdateExpression:
        'SET #status = :status, posts_in_status = :index, open_targets = :open, posted_targets = :posted, updated_at = :now',
      ConditionExpression: 'open_targets = :openBefore AND posted_targets = :postedBefore',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':status': after.status,
        ':index': postsInStatus(after),
        ':open': after.open_targets,
        ':posted': after.posted_targets,
        ':openBefore': before.open_targets,
        ':postedBefore': before.posted_targets,
        ':now': isoAt(nowMs),
      },
    },
  };
}

/** A post that has ended appears under its new status in the lists of each of its channels. */
const moveIndexes = (target: PublishingTarget, post: PostRow): Write[] =>
  post.channel_ids
    .filter((channelId) => channelId !== target.channel_id)
    .map((channelId) => ({
      Update: {
        Key: keys.target(post.workspace_id, post.id, channelId),
        UpdateExpression: 'SET targets_in_status = :index',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':index': targetsInStatus(post.workspace_id, channelId, post.status) },
      },
    }));
