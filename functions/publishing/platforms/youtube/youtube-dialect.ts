import * as v from 'valibot';
import { YoutubeCredentials } from '../../../channels/credentials.ts';
import { type Clock, MINUTE_MS } from '../../../shared/clock.ts';
import { oauthRefresh } from '../oauth-refresh.ts';
import type { PlatformAnswer, PlatformClient } from '../platform-client.ts';
import { errorByStatus, type PlatformError } from '../platform-error.ts';
import type { Pause, PlatformDialect, Step } from '../step.ts';
import { nextPacificMidnight } from './midnight.ts';
import { PROJECT_QUOTA, YOUTUBE_ERRORS } from './youtube-errors.ts';

export type YoutubeStep = Step<YoutubeCredentials>;

/** Where YouTube is. */
export interface YoutubeUrls {
  /** https://www.googleapis.com/youtube/v3 */
  readonly api: string;
  /** https://www.googleapis.com/upload/youtube/v3 */
  readonly uploads: string;
  /** https://oauth2.googleapis.com/token */
  readonly token: string;
}

/** Where all of it is, from the settings of a deployment. */
export const youtubeUrls = (settings: {
  readonly YOUTUBE_API_URL: string;
  readonly GOOGLE_TOKEN_URL: string;
}): YoutubeUrls => ({
  api: `${settings.YOUTUBE_API_URL}/youtube/v3`,
  uploads: `${settings.YOUTUBE_API_URL}/upload/youtube/v3`,
  token: settings.GOOGLE_TOKEN_URL,
});

const Said = v.object({
  error: v.object({
    message: v.optional(v.string(), ''),
    errors: v.optional(v.array(v.object({ reason: v.optional(v.string(), '') })), []),
  }),
});
const MAX_SAID = 200;

/** The refusal in an answer: by its reason, or else by its status. */
export function youtubeErrorOf({ status, body }: PlatformAnswer, nowMs: number): PlatformError | undefined {
  if (status < 400) return undefined;
  const read = v.safeParse(Said, body);
  const reason = read.success ? (read.output.error.errors[0]?.reason ?? '') : '';
  const rule = YOUTUBE_ERRORS[reason] ?? (status === 401 ? YOUTUBE_ERRORS.authError : undefined);
  const code = reason === '' ? `http_${status}` : `http_${status}/${reason}`;
  if (rule && status < 500) {
    return { ...rule, code, ...(reason === PROJECT_QUOTA && { atMs: nextPacificMidnight(nowMs) }) };
  }
  const said = read.success ? read.output.error.message.slice(0, MAX_SAID) : undefined;
  const byStatus = errorByStatus(status, said);
  return byStatus && { ...byStatus, code };
}

/** A quota of the project is everybody's: no upload is begun anywhere before it is given anew. */
function youtubePauses(answer: PlatformAnswer, nowMs: number): readonly Pause[] {
  const error = youtubeErrorOf(answer, nowMs);
  return error?.atMs === undefined ? [] : [{ scope: 'app', untilMs: error.atMs }];
}

/** How YouTube is spoken to. Its access tokens live for an hour, so one is renewed that could end during a step. */
export function youtubeDialect(
  { token }: YoutubeUrls,
  needs: { readonly client: PlatformClient; readonly clock: Clock },
): PlatformDialect<YoutubeCredentials> {
  return {
    credentials: YoutubeCredentials,
    authorize: ({ access_token }) => ({ authorization: `Bearer ${access_token}` }),
    errorOf: youtubeErrorOf,
    pausesOf: youtubePauses,
    refresh: oauthRefresh(
      {
        url: token,
        credentials: YoutubeCredentials,
        app: ({ client_id, client_secret }) => ({ client_id, client_secret }),
        earlyMs: 10 * MINUTE_MS,
      },
      needs,
    ),
  };
}
