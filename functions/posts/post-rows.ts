import * as v from 'valibot';
import { dueAt, indexPartition } from '../shared/table/indexes.ts';
import { type Found, keys, type RowKey } from '../shared/table/keys.ts';
import { PostRow, TargetRow, type WholePost } from './post.ts';

/** The partition of the index of posts by status. */
export const postsInStatus = ({ workspace_id, status }: Pick<PostRow, 'workspace_id' | 'status'>): string =>
  indexPartition(workspace_id, status);

/** The partition of the index of targets by channel. */
export const targetsOfChannel = (workspaceId: string, channelId: string): string =>
  indexPartition(workspaceId, channelId);

/** The partition of the index of targets by channel and their post's status. */
export const targetsInStatus = (workspaceId: string, channelId: string, status: PostRow['status']): string =>
  indexPartition(workspaceId, channelId, status);

/** The partition of the index of what waits for its time: all posts of a workspace, or those of one channel. */
export const scheduledIn = (workspaceId: string, channelId?: string): string =>
  indexPartition(workspaceId, ...(channelId === undefined ? [] : [channelId]));

/** Whether a post waits for a time. */
export const isScheduled = ({ status, scheduled_for }: Pick<PostRow, 'status' | 'scheduled_for'>): boolean =>
  status === 'queued' && scheduled_for !== null;

/** A post as the table holds it: with its key, its index entries, and when it must be looked at again. */
export const postItem = (post: PostRow, wakeAt: string | null) => ({
  ...keys.post(post.workspace_id, post.id),
  ...post,
  posts_in_status: postsInStatus(post),
  ...(isScheduled(post) && { scheduled_in: scheduledIn(post.workspace_id) }),
  ...(wakeAt !== null && dueAt(post.id, wakeAt)),
});

/** A target as the table holds it: in the lists of its channel, as its post stands. */
export const targetItem = (target: TargetRow, post: PostRow) => ({
  ...keys.target(target.workspace_id, target.post_id, target.channel_id),
  ...target,
  targets_of_channel: targetsOfChannel(target.workspace_id, target.channel_id),
  targets_in_status: targetsInStatus(target.workspace_id, target.channel_id, post.status),
  ...(isScheduled(post) && { scheduled_in: scheduledIn(target.workspace_id, target.channel_id) }),
});

/** The key of a post by an id from outside; none for what is no id: `#` in it would name other rows. */
export const postKeys = (workspaceId: string, postId: string): RowKey[] =>
  isPostId(postId) ? [keys.post(workspaceId, postId)] : [];

/** An id as every row has it. */
export const isPostId = (id: string): boolean => v.is(v.pipe(v.string(), v.uuid()), id);

/** A post among rows that were read by their keys, by an id from outside. */
export function postIn(found: Found, workspaceId: string, postId: string): PostRow | undefined {
  const [row] = postKeys(workspaceId, postId).map(found);
  return row && v.parse(PostRow, row);
}

/** The keys of a post's targets. */
export const targetKeys = ({ workspace_id, id, channel_ids }: PostRow): RowKey[] =>
  channel_ids.map((channelId) => keys.target(workspace_id, id, channelId));

/** The targets of a post among rows that were read by their keys. */
export const targetsIn = (found: Found, post: PostRow): TargetRow[] =>
  targetKeys(post)
    .flatMap((key) => found(key) ?? [])
    .map((row) => v.parse(TargetRow, row));

/** The targets in the order of the post's channels. */
export function inChannelOrder<Target extends TargetRow>(
  post: PostRow,
  targets: readonly Target[],
): WholePost<Target> {
  const byChannel = new Map(targets.map((target) => [target.channel_id, target]));
  return { post, targets: post.channel_ids.flatMap((id) => byChannel.get(id) ?? []) };
}
