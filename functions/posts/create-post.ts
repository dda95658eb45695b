import type { WriteCall } from '../access/endpoint.ts';
import type { FetchMessage } from '../media/media-messages.ts';
import type { UrlNeeds } from '../media/take-url.ts';
import { type Clock, isoAt } from '../shared/clock.ts';
import { type HttpReply, jsonReply } from '../shared/http/http-handler.ts';
import { defineOperation, type Operation } from '../shared/http/operation.ts';
import { type Decision, writeOnce } from '../shared/idempotency/write-once.ts';
import type { NewId } from '../shared/ids.ts';
import type { Queue } from '../shared/queues/queue.ts';
import { type Found, keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { type AttachedMedia, attachMedia, type LookedAt, lookAtMedia } from './attached-media.ts';
import { checkPublishable, composeTargets, namedKeys, ownMedia } from './compose-post.ts';
import type { Dispatch } from './dispatch.ts';
import { Post, type PostRow, showPost } from './post.ts';
import { createEffects } from './post-effects.ts';
import { CreatePostRequest } from './post-request.ts';
import { type Timing, timingOf } from './timing.ts';

export const createPostOperation = defineOperation({
  id: 'createPost',
  method: 'POST',
  path: '/posts',
  tag: 'Posts',
  summary: 'Create a post',
  description:
    'Saves a draft for human review; with `scheduled_for` or `publish_now` the post is queued and published instead. Poll GET /posts/{id} for the status of each channel.',
  scope: 'posts:write',
  idempotent: true,
  body: CreatePostRequest,
  success: { status: 202, description: 'The post as it was saved.', schema: Post },
  refusals: [400, 402, 409, 413, 422],
});

/** What the use cases that write posts need. */
export interface WritePostNeeds {
  readonly table: ServiceTable;
  readonly dispatch: Dispatch;
  readonly fetchQueue: Queue<FetchMessage>;
  /** How media is looked at that a request names by URL. */
  readonly urls: UrlNeeds;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Where a person reviews posts: the base of `review_url`. */
  readonly reviewUrl: string;
  readonly upgradeUrl: string;
}

export type CreateCall = WriteCall<unknown, unknown, CreatePostRequest>;

/** What the answer to a creation says about what happens next. */
const NOTES = {
  draft:
    'Saved as a draft. A person reviews and publishes it at review_url; PATCH /posts/{id} can publish it too.',
  queued: 'Accepted for publishing. GET /posts/{id} tells how each channel stands.',
} as const;

/**
 * Creates a post: draft, scheduled or published at once. Safe to repeat by its Idempotency-Key.
 *
 * @throws {RequestError} unprocessable, quota_exceeded, idempotency_conflict.
 */
export function createPost(call: CreateCall, needs: WritePostNeeds): Promise<HttpReply> {
  return create(call, needs, createPostOperation, (nowMs) => timingOf(call.body, nowMs));
}

/** What POST /posts and POST /drafts share; they differ in when the post may go out. */
export function create(
  { caller, body, request }: CreateCall,
  needs: WritePostNeeds,
  operation: Pick<Operation, 'success'>,
  timing: (nowMs: number) => Timing,
): Promise<HttpReply> {
  const { workspaceId } = caller;
  const decide = (read: Found, nowMs: number, looked: LookedAt): Decision => {
    const when = timing(nowMs);
    const media = attachMedia(body.media, looked, { workspaceId, found: read, nowMs, newId: needs.newId });
    const post = newPost(body, { workspaceId, nowMs, when, newId: needs.newId, mediaIds: media.ids });
    const { found } = media;
    const composing = { found, workspaceId, postId: post.id, nowMs, newId: needs.newId };
    const targets = composeTargets(body.channels, composing);
    ownMedia(post.media_ids, composing);
    if (when !== 'draft') checkPublishable(post, targets, composing);
    const whole = { post: { ...post, channel_ids: targets.map(({ channel_id }) => channel_id) }, targets };
    const note = when === 'draft' ? NOTES.draft : NOTES.queued;
    return {
      reply: jsonReply(operation.success.status, showPost(whole, needs.reviewUrl, note)),
      effects: [...createEffects(whole, { found, nowMs, upgradeUrl: needs.upgradeUrl }), ...media.effects],
      afterCommit: () => setGoing(whole.post, media, needs),
    };
  };
  const reads = [keys.workspace(workspaceId), ...namedKeys(workspaceId, body)];
  const prepare = (found: Found) => lookAtMedia(body.media, { workspaceId, found }, needs.urls);
  return writeOnce({ ...needs, request, reads, prepare, decide });
}

/** Has a post's new media fetched and, if it is queued, brings it out. One does not wait for the other. */
export async function setGoing(
  post: PostRow,
  media: AttachedMedia,
  { dispatch, fetchQueue }: Pick<WritePostNeeds, 'dispatch' | 'fetchQueue'>,
): Promise<void> {
  const under = [media.fetch(fetchQueue), ...(post.status === 'queued' ? [dispatch.queued(post)] : [])];
  const [failed] = (await Promise.allSettled(under)).filter(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

function newPost(
  body: CreatePostRequest,
  {
    workspaceId,
    nowMs,
    when,
    newId,
    mediaIds,
  }: { workspaceId: string; nowMs: number; when: Timing; newId: NewId; mediaIds: string[] },
): PostRow {
  const now = isoAt(nowMs);
  return {
    id: newId(nowMs),
    workspace_id: workspaceId,
    status: when === 'draft' ? 'draft' : 'queued',
    caption: body.caption,
    media_ids: mediaIds,
    channel_ids: [],
    scheduled_for: typeof when === 'object' ? when.scheduledFor : null,
    queued_at: when === 'draft' ? null : now,
    generation: 1,
    revision: 1,
    open_targets: 0,
    posted_targets: 0,
    source: 'api',
    created_at: now,
    updated_at: now,
  };
}
