import * as v from 'valibot';
import { YoutubeCredentials } from '../../../channels/credentials.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { RecentPosts } from '../discovered-post.ts';
import type { PlatformClient } from '../platform-client.ts';
import type { Step } from '../step.ts';
import { ownUploads } from './own-uploads.ts';
import { type YoutubeUrls, youtubeDialect, youtubeErrorOf } from './youtube-dialect.ts';

/**
 * The newest videos of a channel. Its access token, which lives for an hour, is renewed for this alone:
 * Google keeps the refresh token, so nothing need be written down.
 */
export function youtubeRecentPosts(client: PlatformClient, urls: YoutubeUrls, clock: Clock): RecentPosts {
  const { refresh } = youtubeDialect(urls, { client, clock });
  return async (opened, limit) => {
    let credentials = v.parse(YoutubeCredentials, opened);
    if (refresh?.isDue(credentials, clock())) {
      const renewed = await refresh.refresh(credentials);
      if (renewed.outcome !== 'refreshed')
        throw new Error(`the connection could not be renewed: ${renewed.code}`);
      credentials = v.parse(YoutubeCredentials, renewed.credentials);
    }
    const headers = { authorization: `Bearer ${credentials.access_token}` };
    const call: Step<unknown>['call'] = async (schema, what) => {
      const answer = await client({ ...what, headers });
      if (answer.outcome !== 'answered') throw new Error(`the platform did not answer: ${answer.code}`);
      const error = youtubeErrorOf(answer, clock());
      if (error) throw new Error(`the platform refused the list: ${error.text} (${error.code})`);
      return v.parse(schema, answer.body);
    };
    const uploads = await ownUploads({ call }, urls, limit);
    return uploads.map(({ id, url, title, description, publishedAt }) => ({
      externalId: id,
      url,
      text: [title, description].filter((text) => text !== '').join('\n\n'),
      publishedAtMs: Date.parse(publishedAt),
    }));
  };
}
