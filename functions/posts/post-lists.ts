import type { ServiceTable } from '../shared/table/service-table.ts';
import type { WholePost } from './post.ts';
import { postsByFilter } from './posts-by-filter.ts';
import { postsInOrder } from './posts-in-order.ts';
import type { WantedPosts } from './wanted-posts.ts';

/** Reads pages of posts, newest first. */
export interface PostLists {
  page(wanted: WantedPosts): Promise<{ posts: WholePost[]; hasMore: boolean }>;
}

/** Lambda answers with at most 6 MB; a page of posts full of long options stops well before. */
const PAGE_BYTES = 3.5 * 1024 * 1024;

/** Posts in lists, over the table and the index that fits the filters. */
export function postLists(table: ServiceTable): PostLists {
  const source = (wanted: WantedPosts) =>
    isFiltered(wanted.filters) ? postsByFilter(table, wanted) : postsInOrder(table, wanted);
  return {
    async page(wanted) {
      const posts: WholePost[] = [];
      let bytes = 0;
      for await (const whole of source(wanted)) {
        bytes += Buffer.byteLength(JSON.stringify(whole));
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
