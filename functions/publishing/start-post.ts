import type { DueMessage } from '../posts/due.ts';
import { MESSAGE_GRACE_MS } from '../posts/due.ts';
import type { WholePost } from '../posts/post.ts';
import { postsInStatus, targetsInStatus } from '../posts/post-rows.ts';
import type { PostStore } from '../posts/post-store.ts';
import { type Clock, isoAt, SECOND_MS } from '../shared/clock.ts';
import type { Queue } from '../shared/queues/queue.ts';
import { MAX_DELAY_SECONDS } from '../shared/queues/queue.ts';
import type { Write } from '../shared/table/effect.ts';
import { dueAt } from '../shared/table/indexes.ts';
import { keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { releasePendingSchedule } from '../workspaces/usage.ts';
import type { PublishMessage } from './target.ts';

interface Needs {
  readonly table: ServiceTable;
  readonly posts: PostStore;
  readonly dueQueue: Queue<DueMessage>;
  readonly publishQueue: Queue<PublishMessage>;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
}

/** The last fraction is waited out by the worker itself; a queue delays by whole seconds. */
const WAITED_OUT_MS = SECOND_MS;

/**
 * Starts a queued post when its time has come: never before, and only in the generation that was queued.
 * A repeat is harmless: the transaction that turns `queued` into `posting` commits once; a second message
 * finds another status and does nothing. What is lost after the transaction, the targets' own `wake_at`
 * brings back.
 */
export async function startPost(message: DueMessage, needs: Needs): Promise<void> {
  const { workspace_id, post_id, generation } = message;
  const whole = await needs.posts.find(workspace_id, post_id);
  if (whole?.post.status !== 'queued' || whole.post.generation !== generation) return;

  const { scheduled_for } = whole.post;
  const remainingMs = scheduled_for === null ? 0 : Date.parse(scheduled_for) - needs.clock();
  if (remainingMs >= WAITED_OUT_MS) {
    const delaySeconds = Math.min(MAX_DELAY_SECONDS, Math.floor(remainingMs / SECOND_MS));
    return needs.dueQueue.send({ body: message, delaySeconds });
  }
  if (remainingMs > 0) await needs.sleep(remainingMs);

  const nowMs = needs.clock();
  const committed = await needs.table.commit(begin(whole, nowMs));
  if (committed.outcome === 'refused') return;
  await needs.publishQueue.sendAll(
    whole.targets.map(({ channel_id }) => ({ body: { workspace_id, post_id, channel_id, generation } })),
  );
}

/** Hands each target over to be published; from here on each has its own entry in the waiting list. */
function begin({ post, targets }: WholePost, nowMs: number): Write[] {
  const due = dueAt(post.id, isoAt(nowMs + MESSAGE_GRACE_MS));
  return [
    {
      Update: {
        Key: keys.post(post.workspace_id, post.id),
        UpdateExpression: [
          'SET #status = :posting, posts_in_status = :index, open_targets = :open, posted_targets = :none, updated_at = :now',
          'REMOVE scheduled_in, due_shard, wake_at, overdue_since',
        ].join(' '),
        ConditionExpression: '#status = :queued AND generation = :generation',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':posting': 'posting',
          ':index': postsInStatus({ ...post, status: 'posting' }),
          ':open': targets.length,
          ':none': 0,
          ':now': isoAt(nowMs),
          ':queued': 'queued',
          ':generation': post.generation,
        },
      },
    },
    // The post no longer waits for its time.
    ...(post.scheduled_for === null ? [] : [releasePendingSchedule(post.workspace_id).write]),
    ...targets.map(
      ({ channel_id }): Write => ({
        Update: {
          Key: keys.target(post.workspace_id, post.id, channel_id),
          UpdateExpression: [
            'SET generation = :generation, stage = :stage, targets_in_status = :index',
            'due_shard = :shard, wake_at = :wake REMOVE scheduled_in',
          ].join(', '),
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: {
            ':generation': post.generation,
            ':stage': 'prepare',
            ':index': targetsInStatus(post.workspace_id, channel_id, 'posting'),
            ':shard': due.due_shard,
            ':wake': due.wake_at,
          },
        },
      }),
    ),
  ];
}
