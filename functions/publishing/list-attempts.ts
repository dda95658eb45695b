import * as v from 'valibot';
import type { Call } from '../access/endpoint.ts';
import { noSuchPost } from '../posts/get-post.ts';
import { PostPath } from '../posts/post-request.ts';
import { postKeys } from '../posts/post-rows.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { keys, type Row } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { Attempt } from './attempt.ts';

export const listAttemptsOperation = defineOperation({
  id: 'listAttempts',
  method: 'GET',
  path: '/posts/{id}/attempts',
  tag: 'Posts',
  summary: 'List the publish attempts of a post',
  description:
    'What was tried for each channel, when, what came of it, and when it is tried next. An addition of this service to the common interface.',
  scope: 'posts:read',
  idempotent: false,
  params: PostPath,
  success: {
    status: 200,
    description: 'All attempts, by channel and oldest first.',
    schema: v.object({ data: v.array(Attempt) }),
  },
  refusals: [404],
});

/**
 * The attempts of one post of the caller's workspace. Only posts that have begun to go out have any, and those
 * are never removed: attempts prove their post, and only where there are none must it be looked for.
 *
 * @throws {RequestError} not_found.
 */
export async function listAttempts(
  { caller, params }: Call<{ id: string }>,
  { table }: { table: ServiceTable },
): Promise<{ data: Attempt[] }> {
  const own = postKeys(caller.workspaceId, params.id);
  if (own.length === 0) throw noSuchPost();
  const { pk, sk } = keys.attempt(caller.workspaceId, params.id, '', 0);
  const data: Attempt[] = [];
  let last: Row | undefined;
  do {
    const page = await table.query({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
      ExpressionAttributeValues: { ':pk': pk, ':post': sk.slice(0, sk.indexOf('#TARGET#')) },
      ExclusiveStartKey: last,
    });
    data.push(...page.rows.map((row) => v.parse(Attempt, row)));
    last = page.last;
  } while (last);
  if (data.length === 0 && (await table.get(own)).size === 0) throw noSuchPost();
  return { data };
}
