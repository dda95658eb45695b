import { dueAt } from '../shared/table/indexes.ts';
import { keys } from '../shared/table/keys.ts';
import type { PostRow, TargetRow, WholePost } from './post.ts';

/** The attributes that put a post into the index of its status. */
export const postsInStatus = ({ workspace_id, status }: Pick<PostRow, 'workspace_id' | 'status'>): string =>
  `${workspace_id}#${status}`;

/** The value under which a target appears in the index of its channel. */
export const targetsOfChannel = (workspaceId: string, channelId: string): string =>
  `${workspaceId}#${channelId}`;

/** The value under which a target appears in the index of its channel and its post's status. */
export const targetsInStatus = (workspaceId: string, channelId: string, status: PostRow['status']): string =>
  `${workspaceId}#${channelId}#${status}`;

/** A post as the table holds it: with its key, its index entries, and when it must be looked at again. */
export const postItem = (post: PostRow, wakeAt: string | null) => ({
  ...keys.post(post.workspace_id, post.id),
  ...post,
  posts_in_status: postsInStatus(post),
  ...(wakeAt !== null && dueAt(post.id, wakeAt)),
});

/** A target as the table holds it. `scheduled_for` is repeated for the filter of its index. */
export const targetItem = (target: TargetRow, post: PostRow) => ({
  ...keys.target(target.workspace_id, target.post_id, target.channel_id),
  ...target,
  scheduled_for: post.scheduled_for,
  targets_of_channel: targetsOfChannel(target.workspace_id, target.channel_id),
  targets_in_status: targetsInStatus(target.workspace_id, target.channel_id, post.status),
});

/** The targets in the order of the post's channels. */
export function inChannelOrder<Target extends TargetRow>(
  post: PostRow,
  targets: readonly Target[],
): WholePost<Target> {
  const byChannel = new Map(targets.map((target) => [target.channel_id, target]));
  return { post, targets: post.channel_ids.flatMap((id) => byChannel.get(id) ?? []) };
}
