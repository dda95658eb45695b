import type { HttpReply } from '../shared/http/http-handler.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { type CreateCall, create, type WritePostNeeds } from './create-post.ts';
import { Post } from './post.ts';
import { refuseFor } from './post-problem.ts';
import { CreatePostRequest } from './post-request.ts';

export const createDraftOperation = defineOperation({
  id: 'createDraft',
  method: 'POST',
  path: '/drafts',
  tag: 'Posts',
  summary: 'Create a draft',
  description: 'Like POST /posts, but always a draft: `scheduled_for` and `publish_now` are refused.',
  scope: 'posts:write',
  idempotent: true,
  body: CreatePostRequest,
  success: { status: 202, description: 'The draft as it was saved.', schema: Post },
  refusals: [400, 409, 413, 422],
});

/**
 * Creates a draft, whatever else is asked for. Safe to repeat by its Idempotency-Key.
 *
 * @throws {RequestError} unprocessable when the request also tries to publish; idempotency_conflict.
 */
export function createDraft(call: CreateCall, needs: WritePostNeeds): Promise<HttpReply> {
  return create(call, needs, createDraftOperation, () => {
    const { scheduled_for, publish_now } = call.body;
    const fields = [
      ...(scheduled_for === undefined ? [] : ['scheduled_for']),
      ...(publish_now === true ? ['publish_now'] : []),
    ];
    refuseFor(
      fields.map((field) => ({
        path: `body.${field}`,
        message: `${field} cannot be sent with a draft; use POST /posts to publish`,
      })),
    );
    return 'draft';
  });
}
