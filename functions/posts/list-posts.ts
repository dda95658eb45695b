import * as v from 'valibot';
import type { Call } from '../access/endpoint.ts';
import type { Clock } from '../shared/clock.ts';
import { QueryDateTime } from '../shared/date-time.ts';
import { defineOperation } from '../shared/http/operation.ts';
import type { CursorScope } from '../shared/lists/cursor.ts';
import { Limit, type Page, pageOf } from '../shared/lists/page.ts';
import { readPage } from '../shared/lists/read-page.ts';
import { Uuid } from '../shared/text.ts';
import { POST_STATUSES, Post, showPost } from './post.ts';
import type { PostLists } from './post-lists.ts';

const ListPostsQuery = v.object({
  status: v.optional(v.picklist(POST_STATUSES, `must be one of ${POST_STATUSES.join(', ')}`)),
  scheduled: v.optional(
    v.pipe(
      v.literal('true', 'must be true or left out'),
      v.description('Only posts waiting for their time.'),
    ),
  ),
  channel_id: v.optional(v.pipe(Uuid, v.description('Only posts with this channel among their targets.'))),
  before: v.optional(v.pipe(QueryDateTime, v.description('Only posts created strictly before this moment.'))),
  after: v.optional(v.pipe(QueryDateTime, v.description('Only posts created strictly after this moment.'))),
  limit: Limit,
  cursor: v.optional(v.pipe(v.string(), v.description('next_cursor of the previous page, unchanged.'))),
});
type ListPostsQuery = v.InferOutput<typeof ListPostsQuery>;

export const listPostsOperation = defineOperation({
  id: 'listPosts',
  method: 'GET',
  path: '/posts',
  tag: 'Posts',
  summary: 'List posts',
  description: 'Drafts, scheduled and published posts, newest first. Filters are combined with AND.',
  scope: 'posts:read',
  idempotent: false,
  query: ListPostsQuery,
  success: { status: 200, description: 'A page of posts.', schema: pageOf(Post) },
  refusals: [400],
});

interface Needs {
  readonly lists: PostLists;
  readonly clock: Clock;
  readonly reviewUrl: string;
}

/**
 * A page of the caller's posts. The order is by id, which is by creation: posts created meanwhile come
 * before the first page and move nothing.
 *
 * @throws {RequestError} invalid_request for a cursor that is not of this list.
 */
export async function listPosts(
  { caller, query }: Call<unknown, ListPostsQuery>,
  { lists, clock, reviewUrl }: Needs,
): Promise<Page<Post>> {
  const { limit, cursor, ...filters } = query;
  const { workspaceId, cursorKey } = caller;
  const scope: CursorScope = { workspaceId, cursorKey, endpoint: listPostsOperation.path, filters };
  const nowMs = clock();
  return readPage({ scope, cursor, nowMs }, async (olderThan) => {
    const { posts, hasMore } = await lists.page({ workspaceId, filters, limit, olderThan, nowMs });
    return { items: posts.map((whole) => showPost(whole, reviewUrl)), hasMore };
  });
}
