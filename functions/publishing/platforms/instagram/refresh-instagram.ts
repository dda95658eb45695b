import * as v from 'valibot';
import { InstagramCredentials } from '../../../channels/credentials.ts';
import type { Refresh } from '../../../channels/fresh-credentials.ts';
import { type Clock, DAY_MS, isoAt, SECOND_MS } from '../../../shared/clock.ts';
import { graphErrorOf } from '../meta/meta-dialect.ts';
import type { PlatformClient } from '../platform-client.ts';
import { INSTAGRAM_ERRORS } from './instagram-errors.ts';
import type { InstagramUrls } from './instagram-step.ts';

const Token = v.object({ access_token: v.pipe(v.string(), v.nonEmpty()), expires_in: v.number() });

/** A token of 60 days is renewed when half of them are gone. Page tokens have no end and are not renewed. */
const DUE_MS = 30 * DAY_MS;

/** Instagram Login: `refresh_access_token` turns a token that still holds into one of 60 more days. */
export function refreshInstagram(client: PlatformClient, urls: InstagramUrls, clock: Clock): Refresh {
  const errorOf = graphErrorOf(INSTAGRAM_ERRORS);
  const root = urls.instagram.replace(/\/v[\d.]+$/, '');
  return {
    isDue(opened, nowMs) {
      const { login, expires_at } = v.parse(InstagramCredentials, opened);
      return login === 'instagram' && expires_at !== undefined && Date.parse(expires_at) - nowMs < DUE_MS;
    },
    async refresh(opened) {
      const credentials = v.parse(InstagramCredentials, opened);
      if (credentials.login !== 'instagram') return { outcome: 'gone', event: 'token_expired', code: '190' };
      const answer = await client({
        kind: 'prepare',
        method: 'GET',
        url: `${root}/refresh_access_token`,
        query: { grant_type: 'ig_refresh_token', access_token: credentials.access_token },
      });
      if (answer.outcome !== 'answered') return { outcome: 'failed', code: answer.code };
      const error = errorOf(answer, clock());
      if (error) {
        const { event, code } = error;
        return event ? { outcome: 'gone', event, code } : { outcome: 'failed', code };
      }
      const token = v.safeParse(Token, answer.body);
      if (!token.success) return { outcome: 'failed', code: 'unreadable_answer' };
      const { access_token, expires_in } = token.output;
      const expires_at = isoAt(clock() + expires_in * SECOND_MS);
      return { outcome: 'refreshed', credentials: { ...credentials, access_token, expires_at } };
    },
  };
}
