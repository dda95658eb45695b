import * as v from 'valibot';
import { InstagramCredentials } from '../../../channels/credentials.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { RecentPosts } from '../discovered-post.ts';
import { graphList, graphMs } from '../meta/graph-list.ts';
import type { PlatformClient } from '../platform-client.ts';
import { INSTAGRAM_ERRORS } from './instagram-errors.ts';
import type { InstagramUrls } from './instagram-step.ts';

const Media = v.object({
  id: v.string(),
  caption: v.optional(v.string(), ''),
  timestamp: v.string(),
  permalink: v.optional(v.string()),
});

/** The newest media of an account; stories are not among them. */
export function instagramRecentPosts(client: PlatformClient, urls: InstagramUrls, clock: Clock): RecentPosts {
  return async (opened, limit) => {
    const { access_token, ig_user_id, login } = v.parse(InstagramCredentials, opened);
    const media = await graphList(client, Media, {
      url: `${urls[login]}/${ig_user_id}/media`,
      accessToken: access_token,
      fields: 'id,caption,timestamp,permalink',
      ...{ limit, errors: INSTAGRAM_ERRORS, nowMs: clock() },
    });
    return media.map(({ id, caption, timestamp, permalink }) => ({
      externalId: id,
      url: permalink ?? null,
      text: caption,
      publishedAtMs: graphMs(timestamp),
    }));
  };
}
