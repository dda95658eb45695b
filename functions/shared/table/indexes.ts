import { keys } from './keys.ts';

/** The table's secondary indexes by name. Rows appear in those whose attributes they carry. */
export const indexes = {
  postsByStatus: 'posts_by_status',
  targetsByChannel: 'targets_by_channel',
  targetsByChannelAndStatus: 'targets_by_channel_and_status',
  /** Posts that wait for their time, and their targets by channel; all others are absent from it. */
  scheduled: 'scheduled',
  mediaByKind: 'media_by_kind',
  due: 'due',
} as const;

/**
 * A partition of an index: several facts in one string, the workspace's own partition first, so that the
 * permission to read rows of workspaces covers what is read of them through an index.
 */
export const indexPartition = (workspaceId: string, ...facts: readonly string[]): string =>
  [keys.workspace(workspaceId).pk, ...facts].join('#');

/** How many partitions the `due` index is spread over; the sweeper reads them all. */
export const DUE_SHARDS = 4;

/** The attributes that put a row into the `due` index: the sweeper drives it on after `wakeAt`. */
export function dueAt(id: string, wakeAt: string): { due_shard: string; wake_at: string } {
  const lastByte = Number.parseInt(id.slice(-2), 16) || 0;
  return { due_shard: `DUE#${lastByte % DUE_SHARDS}`, wake_at: wakeAt };
}
