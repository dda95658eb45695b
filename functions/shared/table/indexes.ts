/**
 * The table's secondary indexes: their names, and the attributes rows must carry to appear in them. Keys
 * are composed of several facts in one string, with the workspace first.
 */
export const indexes = {
  postsByStatus: 'posts_by_status',
  targetsByChannel: 'targets_by_channel',
  targetsByChannelAndStatus: 'targets_by_channel_and_status',
  mediaByKind: 'media_by_kind',
  due: 'due',
} as const;

/** How many partitions the `due` index is spread over; the sweeper reads them all. */
export const DUE_SHARDS = 4;

/** The attributes that put a row into the `due` index: the sweeper drives it on after `wakeAt`. */
export function dueAt(id: string, wakeAt: string): { due_shard: string; wake_at: string } {
  const lastByte = Number.parseInt(id.slice(-2), 16) || 0;
  return { due_shard: `DUE#${lastByte % DUE_SHARDS}`, wake_at: wakeAt };
}
