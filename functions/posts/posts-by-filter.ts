import * as v from 'valibot';
import { isoAt } from '../shared/clock.ts';
import { indexes } from '../shared/table/indexes.ts';
import { keys, nameOf, type Row } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { PostRow, TargetRow, type WholePost } from './post.ts';
import { postsInStatus, targetsInStatus, targetsOfChannel } from './post-rows.ts';
import { below, idsBetween, type WantedPosts } from './wanted-posts.ts';

interface IndexQuery {
  readonly index: string;
  readonly hashName: string;
  readonly hash: string;
  readonly rangeName: 'id' | 'post_id';
}

/** The index whose order and partition answer the filters without reading what they exclude. */
function indexFor({ workspaceId, filters }: WantedPosts): IndexQuery | undefined {
  const status = filters.scheduled ? 'queued' : filters.status;
  if (filters.status !== undefined && filters.status !== status) return undefined;
  const { channel_id } = filters;
  if (channel_id === undefined) {
    return status === undefined
      ? undefined
      : {
          index: indexes.postsByStatus,
          hashName: 'posts_in_status',
          hash: postsInStatus({ workspace_id: workspaceId, status }),
          rangeName: 'id',
        };
  }
  return status === undefined
    ? {
        index: indexes.targetsByChannel,
        hashName: 'targets_of_channel',
        hash: targetsOfChannel(workspaceId, channel_id),
        rangeName: 'post_id',
      }
    : {
        index: indexes.targetsByChannelAndStatus,
        hashName: 'targets_in_status',
        hash: targetsInStatus(workspaceId, channel_id, status),
        rangeName: 'post_id',
      };
}

/** What `scheduled` leaves out is made up for by a query of at least this size, so that there are never many. */
const FEWEST_PER_QUERY = 10;

/** Newest first from the index that fits the filters: it reads what is shown, and one entry more. */
export async function* postsByFilter(table: ServiceTable, wanted: WantedPosts): AsyncGenerator<WholePost> {
  const query = indexFor(wanted);
  const { newest, oldest } = idsBetween(wanted);
  if (!query || newest <= oldest) return;
  let last: Row | undefined;
  let found = 0;
  do {
    const page = await table.query({
      IndexName: query.index,
      KeyConditionExpression: '#hash = :hash AND #range BETWEEN :oldest AND :newest',
      ExpressionAttributeNames: { '#hash': query.hashName, '#range': query.rangeName },
      ExpressionAttributeValues: {
        ':hash': query.hash,
        ':oldest': oldest || ' ',
        ':newest': below(newest),
        ...(wanted.filters.scheduled && { ':now': isoAt(wanted.nowMs) }),
      },
      ...(wanted.filters.scheduled && { FilterExpression: 'scheduled_for > :now' }),
      ScanIndexForward: false,
      ExclusiveStartKey: last,
      Limit: Math.min(wanted.limit + 1, Math.max(wanted.limit + 1 - found, FEWEST_PER_QUERY)),
    });
    const ids = page.rows.map((row) => String(row[query.rangeName]));
    for await (const whole of wholePosts(table, wanted, ids)) {
      found += 1;
      yield whole;
    }
    last = page.last;
  } while (last);
}

/** How many posts are read at once: their targets with them stay few calls, and a page that fills early reads little more. */
const POSTS_PER_READ = 34;

/**
 * The posts of an index entry, read from their own rows. An index is a moment behind its table: a post that
 * has been removed or has changed its status since is left out, so that a filter never shows what it excludes.
 */
async function* wholePosts(
  table: ServiceTable,
  { workspaceId, filters }: WantedPosts,
  ids: string[],
): AsyncGenerator<WholePost> {
  for (let from = 0; from < ids.length; from += POSTS_PER_READ) {
    const wantedIds = ids.slice(from, from + POSTS_PER_READ);
    const postRows = await table.get(wantedIds.map((id) => keys.post(workspaceId, id)));
    const posts = wantedIds.flatMap((id) => {
      const row = postRows.get(nameOf(keys.post(workspaceId, id)));
      return row ? [v.parse(PostRow, row)] : [];
    });
    const asked = posts.filter(
      ({ status }) => status === (filters.scheduled ? 'queued' : (filters.status ?? status)),
    );
    const targetRows = await table.get(
      asked.flatMap(({ id, channel_ids }) =>
        channel_ids.map((channelId) => keys.target(workspaceId, id, channelId)),
      ),
    );
    for (const post of asked) {
      const targets = post.channel_ids.flatMap((channelId) => {
        const row = targetRows.get(nameOf(keys.target(workspaceId, post.id, channelId)));
        return row ? [v.parse(TargetRow, row)] : [];
      });
      yield { post, targets };
    }
  }
}
