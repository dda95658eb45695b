import type { WriteCall } from '../access/endpoint.ts';
import { isoAt } from '../shared/clock.ts';
import { type HttpReply, jsonReply } from '../shared/http/http-handler.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { type Decision, writeOnce } from '../shared/idempotency/write-once.ts';
import { RequestError } from '../shared/request-error.ts';
import { type Found, keys, type RowKey } from '../shared/table/keys.ts';
import { attachMedia, type LookedAt, lookAtMedia } from './attached-media.ts';
import { checkPublishable, composeTargets, namedKeys, ownMedia } from './compose-post.ts';
import { setGoing, type WritePostNeeds } from './create-post.ts';
import { noSuchPost } from './get-post.ts';
import { Post, type PostRow, showPost } from './post.ts';
import { draftStands, replaceEffects } from './post-effects.ts';
import { PostPath, UpdatePostRequest } from './post-request.ts';
import { postIn, postKeys, targetKeys, targetsIn } from './post-rows.ts';
import { timingOf } from './timing.ts';

export const updatePostOperation = defineOperation({
  id: 'updatePost',
  method: 'PATCH',
  path: '/posts/{id}',
  tag: 'Posts',
  summary: 'Edit a draft, or publish it',
  description:
    'What is present replaces, what is absent stays. `scheduled_for` or `publish_now` publishes the draft, like POST /posts. Unschedule a queued post with DELETE first.',
  scope: 'posts:write',
  idempotent: true,
  params: PostPath,
  body: UpdatePostRequest,
  success: { status: 200, description: 'The post as it is now.', schema: Post },
  refusals: [400, 402, 404, 409, 413, 422],
});

/** Why a post cannot be edited, by what it is. Nothing here if it can. */
export function checkEditable({ status, source }: PostRow): void {
  if (source === 'discovered') {
    throw new RequestError('conflict', 'this post mirrors content published elsewhere and is read-only');
  }
  if (status === 'queued') {
    throw new RequestError(
      'conflict',
      'this post is scheduled; unschedule it with DELETE, then edit the draft',
    );
  }
  if (status !== 'draft') {
    throw new RequestError(
      'conflict',
      `this post is ${status}: publish history cannot be changed; create a new post`,
    );
  }
}

type UpdateCall = WriteCall<{ id: string }, unknown, UpdatePostRequest>;

/**
 * Edits a draft, and publishes it when asked to. Safe to repeat by its Idempotency-Key.
 *
 * @throws {RequestError} not_found, conflict, unprocessable, quota_exceeded, idempotency_conflict.
 */
export function updatePost(
  { caller, params, body, request }: UpdateCall,
  needs: WritePostNeeds,
): Promise<HttpReply> {
  const { workspaceId } = caller;
  const draftIn = (found: Found) => postIn(found, workspaceId, params.id);
  const decide = (read: Found, nowMs: number, looked: LookedAt): Decision => {
    const before = draftIn(read);
    if (!before) throw noSuchPost();
    checkEditable(before);
    const media = attachMedia(body.media, looked, { workspaceId, found: read, nowMs, newId: needs.newId });
    const { found } = media;
    const composing = { found, workspaceId, postId: before.id, nowMs, newId: needs.newId };
    const current = targetsIn(read, before);
    const targets = body.channels ? composeTargets(body.channels, composing, current) : current;
    const when = timingOf(body, nowMs);
    const post: PostRow = {
      ...before,
      caption: body.caption ?? before.caption,
      media_ids: body.media ? media.ids : before.media_ids,
      channel_ids: targets.map(({ channel_id }) => channel_id),
      revision: before.revision + 1,
      updated_at: isoAt(nowMs),
      ...(when !== 'draft' && {
        status: 'queued' as const,
        queued_at: isoAt(nowMs),
        scheduled_for: when === 'now' ? null : when.scheduledFor,
      }),
    };
    ownMedia(post.media_ids, composing);
    if (when !== 'draft') checkPublishable(post, targets, composing);
    const after = { post, targets };
    return {
      reply: jsonReply(updatePostOperation.success.status, showPost(after, needs.reviewUrl)),
      effects: [
        ...replaceEffects(before, after, { found, nowMs, upgradeUrl: needs.upgradeUrl }),
        ...media.effects,
      ],
      afterCommit: () => setGoing(post, media, needs),
    };
  };
  return writeOnce({
    ...needs,
    request,
    reads: [
      keys.workspace(workspaceId),
      ...postKeys(workspaceId, params.id),
      ...namedKeys(workspaceId, body),
    ],
    thenReads: (found) => keptKeys(draftIn(found), body),
    prepare: (found) => lookAtMedia(body.media, { workspaceId, found }, needs.urls),
    decide,
    refusedWhile: (found) => {
      const draft = draftIn(found);
      return draft?.status === 'draft' ? [draftStands(draft)] : [];
    },
  });
}

/** The keys of the draft's targets, and of the channels and media that the request does not replace. */
const keptKeys = (draft: PostRow | undefined, body: UpdatePostRequest): RowKey[] =>
  draft
    ? [
        ...targetKeys(draft),
        ...namedKeys(draft.workspace_id, {
          channels: body.channels ? [] : draft.channel_ids.map((id) => ({ id })),
          media: body.media ? [] : draft.media_ids.map((id) => ({ id })),
        }),
      ]
    : [];
