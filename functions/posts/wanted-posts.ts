import { firstIdAt } from '../shared/ids.ts';
import { below, keys } from '../shared/table/keys.ts';
import type { PostStatus } from './post.ts';

/** Which posts are asked for; all conditions hold together. Times in milliseconds since the epoch. */
export interface PostFilters {
  readonly status?: PostStatus;
  readonly scheduled?: 'true';
  readonly channel_id?: string;
  readonly before?: number;
  readonly after?: number;
}

/** One page of a list. */
export interface WantedPosts {
  readonly workspaceId: string;
  readonly filters: PostFilters;
  readonly limit: number;
  /** The id the page before ended with. */
  readonly olderThan: string | undefined;
  readonly nowMs: number;
}

/**
 * The sort keys of the posts asked for and of their targets, in the table as in its indexes; nothing where no
 * post can lie between the bounds. A millisecond's first id bounds all that was created before it.
 */
export function keysBetween({
  workspaceId,
  filters: { before, after },
  olderThan,
}: WantedPosts): { readonly ':oldest': string; readonly ':newest': string } | undefined {
  const beforeId = before === undefined ? '~' : firstIdAt(Math.ceil(before));
  const oldest = after === undefined ? '' : firstIdAt(Math.floor(after) + 1);
  const newest = olderThan !== undefined && olderThan < beforeId ? olderThan : beforeId;
  if (newest <= oldest) return undefined;
  return {
    ':oldest': keys.post(workspaceId, oldest).sk,
    ':newest': below(keys.post(workspaceId, newest).sk),
  };
}
