import * as v from 'valibot';
import { isoAt } from '../shared/clock.ts';
import { indexes } from '../shared/table/indexes.ts';
import { keys, nameOf, type Row } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { PostRow, type WholePost } from './post.ts';
import {
  postsInStatus,
  scheduledIn,
  targetKeys,
  targetsIn,
  targetsInStatus,
  targetsOfChannel,
} from './post-rows.ts';
import { keysBetween, type WantedPosts } from './wanted-posts.ts';

interface Partition {
  readonly index: string;
  /** The attribute that names the partition, and its value. */
  readonly name: string;
  readonly value: string;
}

/** The index partition that answers the filters without reading what they exclude; none where they exclude all. */
function partitionFor({ workspaceId, filters }: WantedPosts): Partition | undefined {
  const { status, scheduled, channel_id } = filters;
  if (scheduled) {
    if (status !== undefined && status !== 'queued') return undefined;
    return { index: indexes.scheduled, name: 'scheduled_in', value: scheduledIn(workspaceId, channel_id) };
  }
  if (channel_id === undefined) {
    return (
      status && {
        index: indexes.postsByStatus,
        name: 'posts_in_status',
        value: postsInStatus({ workspace_id: workspaceId, status }),
      }
    );
  }
  return status === undefined
    ? {
        index: indexes.targetsByChannel,
        name: 'targets_of_channel',
        value: targetsOfChannel(workspaceId, channel_id),
      }
    : {
        index: indexes.targetsByChannelAndStatus,
        name: 'targets_in_status',
        value: targetsInStatus(workspaceId, channel_id, status),
      };
}

/**
 * Whether a post is what is asked for, by its own row: an index is a moment behind its table, and a post may
 * wait for a time that has just passed.
 */
function fits(post: PostRow, { filters, nowMs }: WantedPosts): boolean {
  const { status, scheduled, channel_id } = filters;
  return (
    post.status === (scheduled ? 'queued' : (status ?? post.status)) &&
    (!scheduled || (post.scheduled_for ?? '') > isoAt(nowMs)) &&
    (channel_id === undefined || post.channel_ids.includes(channel_id))
  );
}

/** What turns out not to fit is made up for by a query of at least this size, so that there are never many. */
const FEWEST_PER_QUERY = 10;

/** Newest first from the index that fits the filters: it reads what is shown, and one entry more. */
export async function* postsByFilter(table: ServiceTable, wanted: WantedPosts): AsyncGenerator<WholePost> {
  const partition = partitionFor(wanted);
  const between = keysBetween(wanted);
  if (!partition || !between) return;
  let last: Row | undefined;
  let found = 0;
  do {
    const page = await table.query({
      IndexName: partition.index,
      KeyConditionExpression: '#partition = :partition AND sk BETWEEN :oldest AND :newest',
      ExpressionAttributeNames: { '#partition': partition.name },
      ExpressionAttributeValues: { ':partition': partition.value, ...between },
      ScanIndexForward: false,
      ExclusiveStartKey: last,
      Limit: Math.min(wanted.limit + 1, Math.max(wanted.limit + 1 - found, FEWEST_PER_QUERY)),
    });
    for await (const whole of wholePosts(table, wanted, page.rows.map(postIdOf))) {
      found += 1;
      yield whole;
    }
    last = page.last;
  } while (last);
}

/** An entry is a post or one of its targets; both are named by the post first. */
const postIdOf = ({ sk }: Row): string => String(sk).split('#')[1] ?? '';

/** How many posts are read at once: their targets with them stay few calls, and a page that fills early reads little more. */
const POSTS_PER_READ = 34;

/** Those of the posts that are what is asked for, read from their own rows. */
async function* wholePosts(
  table: ServiceTable,
  wanted: WantedPosts,
  ids: string[],
): AsyncGenerator<WholePost> {
  const { workspaceId } = wanted;
  for (let from = 0; from < ids.length; from += POSTS_PER_READ) {
    const postKeys = ids.slice(from, from + POSTS_PER_READ).map((id) => keys.post(workspaceId, id));
    const postRows = await table.get(postKeys);
    const posts = postKeys
      .flatMap((key) => postRows.get(nameOf(key)) ?? [])
      .map((row) => v.parse(PostRow, row))
      .filter((post) => fits(post, wanted));
    const targetRows = await table.get(posts.flatMap(targetKeys));
    for (const post of posts) {
      yield { post, targets: targetsIn((key) => targetRows.get(nameOf(key)), post) };
    }
  }
}
