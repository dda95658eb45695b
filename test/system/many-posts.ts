import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { POST_STATUSES, type PostRow, type TargetRow } from '../../functions/posts/post.ts';
import { postItem, targetItem } from '../../functions/posts/post-rows.ts';
import { newId } from '../../functions/shared/ids.ts';
import type { Row } from '../../functions/shared/table/keys.ts';
import type { TestOperator, TestWorkspace } from './test-workspace.ts';

/** What a test knows of a post it has written itself. */
export interface KnownPost {
  readonly id: string;
  readonly status: PostRow['status'];
  readonly channelIds: readonly string[];
  readonly createdAtMs: number;
  readonly scheduledFor: string | null;
}

const ROWS_PER_CALL = 25;
const CALLS_AT_ONCE = 8;

/**
 * Writes posts straight into the table, one each second up to now, oldest first in what is returned: their
 * statuses and channels go through all combinations, which no client could bring about.
 *
 * @param atOnce the part of the queued that goes out at once; the others wait for their time. @default a tenth,
 * more than ever do: those are queued for a moment only.
 */
export async function writePosts(
  { documents, tableName }: TestOperator,
  workspace: TestWorkspace,
  count: number,
  { atOnce = 0.1 }: { readonly atOnce?: number } = {},
): Promise<KnownPost[]> {
  const channels = Object.entries(workspace.channels).slice(0, 3);
  const startMs = Math.floor(Date.now() / 1000) * 1000 - count * 1000;
  const known: KnownPost[] = [];
  const rows: Row[] = [];
  for (let n = 0; n < count; n += 1) {
    const createdAtMs = startMs + n * 1000;
    const status = POST_STATUSES[n % POST_STATUSES.length] ?? 'draft';
    // 1 to 7, as three bits: each channel is among the targets or not.
    const chosen = channels.filter((_, bit) => ((n % 7) + 1) & (1 << bit));
    const isAtOnce = Math.floor(n / POST_STATUSES.length) % 10 < atOnce * 10;
    const scheduledFor =
      status === 'queued' && !isAtOnce ? new Date(Date.now() + 3_600_000).toISOString() : null;
    const post = postRow(workspace.id, {
      createdAtMs,
      status,
      scheduledFor,
      channelIds: chosen.map(([, id]) => id),
    });
    known.push({ id: post.id, status, channelIds: post.channel_ids, createdAtMs, scheduledFor });
    rows.push(
      postItem(post, null),
      ...chosen.map(([platform, id]) => targetItem(targetRow(post, platform, id), post)),
    );
  }
  const batches = Array.from({ length: Math.ceil(rows.length / ROWS_PER_CALL) }, (_, index) =>
    rows.slice(index * ROWS_PER_CALL, (index + 1) * ROWS_PER_CALL),
  );
  const write = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const requests = batch.map((Item) => ({ PutRequest: { Item } }));
      await documents.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, write));
  return known;
}

function postRow(
  workspaceId: string,
  { createdAtMs, status, scheduledFor, channelIds }: Omit<KnownPost, 'id'>,
): PostRow {
  const createdAt = new Date(createdAtMs).toISOString();
  return {
    id: newId(createdAtMs),
    workspace_id: workspaceId,
    status,
    caption: `written at ${createdAt}`,
    media_ids: [],
    channel_ids: [...channelIds],
    scheduled_for: scheduledFor,
    queued_at: null,
    generation: 1,
    revision: 1,
    open_targets: 0,
    posted_targets: 0,
    source: 'api',
    created_at: createdAt,
    updated_at: createdAt,
  };
}

const targetRow = (post: PostRow, platform: string, channelId: string): TargetRow => ({
  id: newId(Date.parse(post.created_at)),
  workspace_id: post.workspace_id,
  post_id: post.id,
  channel_id: channelId,
  platform: platform as TargetRow['platform'],
  status: 'pending',
  caption: null,
  title: null,
  description: null,
  options: null,
  external_post_id: null,
  external_post_url: null,
  error_message: null,
});
