import * as v from 'valibot';
import { FacebookCredentials } from '../../../channels/credentials.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { RecentPosts } from '../discovered-post.ts';
import { graphList, graphMs } from '../meta/graph-list.ts';
import type { PlatformClient } from '../platform-client.ts';
import { FACEBOOK_ERRORS } from './facebook-errors.ts';
import type { GraphUrl } from './facebook-step.ts';

const Post = v.object({
  id: v.string(),
  message: v.optional(v.string(), ''),
  created_time: v.string(),
  permalink_url: v.optional(v.string()),
  attachments: v.optional(
    v.object({ data: v.array(v.object({ target: v.optional(v.object({ id: v.optional(v.string()) })) })) }),
  ),
});

/** The newest posts of a Page. A video's post is known by the video's id too. */
export function facebookRecentPosts(client: PlatformClient, graph: GraphUrl, clock: Clock): RecentPosts {
  return async (opened, limit) => {
    const { access_token, page_id } = v.parse(FacebookCredentials, opened);
    const posts = await graphList(client, Post, {
      url: `${graph}/${page_id}/feed`,
      accessToken: access_token,
      fields: 'id,message,created_time,permalink_url,attachments{target{id}}',
      ...{ limit, errors: FACEBOOK_ERRORS, nowMs: clock() },
    });
    return posts.map(({ id, message, created_time, permalink_url, attachments }) => ({
      externalId: id,
      otherIds: (attachments?.data ?? []).flatMap(({ target }) => target?.id ?? []),
      url: permalink_url ?? null,
      text: message,
      publishedAtMs: graphMs(created_time),
    }));
  };
}
