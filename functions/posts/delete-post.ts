import * as v from 'valibot';
import type { WriteCall } from '../access/endpoint.ts';
import { isoAt } from '../shared/clock.ts';
import { type HttpReply, jsonReply } from '../shared/http/http-handler.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { type Decision, writeOnce } from '../shared/idempotency/write-once.ts';
import { RequestError } from '../shared/request-error.ts';
import type { Found } from '../shared/table/keys.ts';
import type { WritePostNeeds } from './create-post.ts';
import { noSuchPost } from './get-post.ts';
import { POST_STATUSES, type PostRow } from './post.ts';
import { removeEffects, unscheduleEffects } from './post-effects.ts';
import { PostPath } from './post-request.ts';
import { postIn, postKeys } from './post-rows.ts';

const Deleted = v.object({
  id: v.pipe(v.string(), v.uuid()),
  action: v.picklist(['deleted', 'unscheduled']),
  deleted: v.pipe(v.boolean(), v.description('Whether the post is gone; false if it is a draft again.')),
  previous_status: v.picklist(POST_STATUSES),
});

export const deletePostOperation = defineOperation({
  id: 'deletePost',
  method: 'DELETE',
  path: '/posts/{id}',
  tag: 'Posts',
  summary: 'Delete a draft, or unschedule a queued post',
  description:
    'A draft is gone for good. A queued post becomes a draft again: `unscheduled` means that nothing of it goes out. Content on the platforms is never removed.',
  scope: 'posts:write',
  idempotent: true,
  params: PostPath,
  success: { status: 200, description: 'What was done.', schema: Deleted },
  refusals: [400, 404, 409],
});

/**
 * Deletes a draft, or takes a queued post back. Against the moment of publishing there is one winner: the
 * transaction that finds the post queued. Safe to repeat by its Idempotency-Key.
 *
 * @throws {RequestError} not_found; conflict for posts that are going out, have ended, or are read-only.
 */
export function deletePost(
  { caller, params, request }: WriteCall<{ id: string }>,
  needs: Pick<WritePostNeeds, 'table' | 'dispatch' | 'clock'>,
): Promise<HttpReply> {
  const { workspaceId } = caller;
  const decide = (found: Found, nowMs: number): Decision => {
    const post = postIn(found, workspaceId, params.id);
    if (!post) throw noSuchPost();
    checkDeletable(post);
    const isDraft = post.status === 'draft';
    return {
      reply: jsonReply(deletePostOperation.success.status, {
        id: post.id,
        action: isDraft ? 'deleted' : 'unscheduled',
        deleted: isDraft,
        previous_status: post.status,
      } satisfies v.InferOutput<typeof Deleted>),
      effects: isDraft ? removeEffects(post) : unscheduleEffects(post, isoAt(nowMs)),
      ...(!isDraft && { afterCommit: () => needs.dispatch.unscheduled(post) }),
    };
  };
  return writeOnce({ ...needs, request, reads: postKeys(workspaceId, params.id), decide });
}

function checkDeletable({ status, source }: PostRow): void {
  if (source === 'discovered') {
    throw new RequestError(
      'conflict',
      'this post mirrors content published elsewhere and cannot be deleted here',
    );
  }
  if (status !== 'draft' && status !== 'queued') {
    throw new RequestError(
      'conflict',
      `this post is ${status}: what goes out or has gone out cannot be deleted`,
    );
  }
}
