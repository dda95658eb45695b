import { firstIdAt } from '../shared/ids.ts';
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

/** Ids between the bounds, both exclusive: a millisecond's first id bounds all that was created before it. */
export function idsBetween({ filters: { before, after }, olderThan }: WantedPosts): {
  newest: string;
  oldest: string;
} {
  const beforeId = before === undefined ? '~' : firstIdAt(Math.ceil(before));
  const afterId = after === undefined ? '' : firstIdAt(Math.floor(after) + 1);
  return { newest: olderThan !== undefined && olderThan < beforeId ? olderThan : beforeId, oldest: afterId };
}

/** The largest text below a name that cannot be one of its continuations: BETWEEN includes its bounds. */
export const below = (name: string): string => {
  const end = name.charCodeAt(name.length - 1) - 1;
  return `${name.slice(0, -1)}${String.fromCharCode(end)}\u{10FFFF}`;
};
