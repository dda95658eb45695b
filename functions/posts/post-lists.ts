import type { ServiceTable } from '../shared/table/service-table.ts';
import type { WholePost } from './post.ts';
import { postsByFilter } from './posts-by-filter.ts';
import { postsInOrder } from './posts-in-order.ts';
import type { WantedPosts } from './wanted-posts.ts';

/** Reads pages of posts, newest first. */
export interface PostLists {
  page(wanted: WantedPosts): Promise<{ posts: WholePost[]; hasMore: boolean }>;
}

/** Lambda answers with at most 6 MB; a page of posts full of long options stops before. */
const PAGE_BYTES = 5 * 1024 * 1024;

/** What a post takes of that: in Lambda's answer the body is a string, so its quotes are escaped once more. */
const bytesOf = (whole: WholePost) => Buffer.byteLength(JSON.stringify(JSON.stringify(whole)));

/** Posts in lists, over the table and the index that fits the filters. */
export function postLists(table: ServiceTable): PostLists {
  const source = (wanted: WantedPosts) =>
    isFiltered(wanted.filters) ? postsByFilter(table, wanted) : postsInOrder(table, wanted);
  return {
    async page(wanted) {
      const posts: WholePost[] = [];
      let bytes = 0;
      for await (const whole of source(wanted)) {
        bytes += bytesOf(whole);
        if (posts.length === wanted.limit || (bytes > PAGE_BYTES && posts.length > 0))
          return { posts, hasMore: true };
        posts.push(whole);
      }
      return { posts, hasMore: false };
    },
  };
}

const isFiltered = ({ status, scheduled, channel_id }: WantedPosts['filters']) =>
  Boolean(status ?? scheduled ?? channel_id);
