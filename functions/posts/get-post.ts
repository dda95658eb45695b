import type { Call } from '../access/endpoint.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { RequestError } from '../shared/request-error.ts';
import { Post, showPost } from './post.ts';
import { PostPath } from './post-request.ts';
import type { PostStore } from './post-store.ts';

export const getPostOperation = defineOperation({
  id: 'getPost',
  method: 'GET',
  path: '/posts/{id}',
  tag: 'Posts',
  summary: 'Get a post',
  description: 'The post as it stands at this moment, with the status of each channel.',
  scope: 'posts:read',
  idempotent: false,
  params: PostPath,
  success: { status: 200, description: 'The post.', schema: Post },
  refusals: [404],
});

/** There is no such post for this caller: it never was, or it is another workspace's. */
export const noSuchPost = (): RequestError =>
  new RequestError('not_found', 'this workspace has no such post; GET /posts lists what it has');

/**
 * One post of the caller's workspace.
 *
 * @throws {RequestError} not_found.
 */
export async function getPost(
  { caller, params }: Call<{ id: string }>,
  { posts, reviewUrl }: { posts: PostStore; reviewUrl: string },
): Promise<Post> {
  const whole = await posts.find(caller.workspaceId, params.id);
  if (!whole) throw noSuchPost();
  return showPost(whole, reviewUrl);
}
