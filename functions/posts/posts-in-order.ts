import * as v from 'valibot';
import { keys, type Row } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { PostRow, TargetRow, type WholePost } from './post.ts';
import { inChannelOrder } from './post-rows.ts';
import { isTarget } from './post-store.ts';
import { keysBetween, type WantedPosts } from './wanted-posts.ts';

/** Newest first from the workspace's own rows: the targets of a post come before the post itself. */
export async function* postsInOrder(table: ServiceTable, wanted: WantedPosts): AsyncGenerator<WholePost> {
  const between = keysBetween(wanted);
  if (!between) return;
  const { pk } = keys.workspace(wanted.workspaceId);
  let targets: TargetRow[] = [];
  let last: Row | undefined;
  do {
    const page = await table.query({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :oldest AND :newest',
      ExpressionAttributeValues: { ':pk': pk, ...between },
      ScanIndexForward: false,
      ExclusiveStartKey: last,
      Limit: Math.max(50, (wanted.limit + 1) * 3),
    });
    for (const row of page.rows) {
      if (isTarget(row)) targets.push(v.parse(TargetRow, row));
      else {
        const post = v.parse(PostRow, row);
        // Targets of a post that was removed between two pages have lost their post; they belong to no other.
        yield inChannelOrder(
          post,
          targets.filter(({ post_id }) => post_id === post.id),
        );
        targets = [];
      }
    }
    last = page.last;
  } while (last);
}
