import * as v from 'valibot';
import { keys, type Row } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { PostRow, TargetRow, type WholePost } from './post.ts';
import { inChannelOrder, isPostId } from './post-rows.ts';

/** Reads posts with their targets, strongly consistent. */
export interface PostStore {
  find(workspaceId: string, postId: string): Promise<WholePost | undefined>;
}

/** Whether a row of a post's range is one of its targets, or the post itself. */
export const isTarget = (row: Row): boolean => 'channel_id' in row;

/** All rows of one post: itself and its targets, which lie side by side. */
export async function rowsOfPost(table: ServiceTable, workspaceId: string, postId: string): Promise<Row[]> {
  const { pk, sk } = keys.post(workspaceId, postId);
  const rows: Row[] = [];
  let last: Row | undefined;
  do {
    const page = await table.query({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
      ExpressionAttributeValues: { ':pk': pk, ':post': sk },
      ExclusiveStartKey: last,
    });
    rows.push(...page.rows);
    last = page.last;
  } while (last);
  return rows;
}

/** Posts over the table. */
export function postStore(table: ServiceTable): PostStore {
  return {
    async find(workspaceId, postId) {
      if (!isPostId(postId)) return undefined;
      const rows = await rowsOfPost(table, workspaceId, postId);
      const post = rows.find((row) => !isTarget(row));
      return (
        post &&
        inChannelOrder(
          v.parse(PostRow, post),
          rows.filter(isTarget).map((row) => v.parse(TargetRow, row)),
        )
      );
    },
  };
}
