import * as v from 'valibot';
import { LinkedinCredentials } from '../../../channels/credentials.ts';
import { type Clock, DAY_MS } from '../../../shared/clock.ts';
import { oauthRefresh } from '../oauth-refresh.ts';
import type { PlatformAnswer, PlatformClient } from '../platform-client.ts';
import { errorByStatus, type PlatformError } from '../platform-error.ts';
import type { PlatformDialect, Step } from '../step.ts';
import { LINKEDIN_ERRORS, LINKEDIN_STATUSES } from './linkedin-errors.ts';

export type LinkedinStep = Step<LinkedinCredentials>;

/** Where LinkedIn is, and as of which month its API is meant. */
export interface LinkedinApi {
  /** https://api.linkedin.com/rest */
  readonly rest: string;
  /** `YYYYMM`; each month's version lives for about a year. */
  readonly version: string;
  /** https://www.linkedin.com/oauth/v2/accessToken */
  readonly token: string;
}

const Said = v.object({
  code: v.optional(v.string()),
  serviceErrorCode: v.optional(v.number()),
  message: v.optional(v.string(), ''),
});
const MAX_SAID = 200;
const DUPLICATE = /duplicate of (urn:li:(?:share|ugcPost):\d+)/i;

/** What the code of a refusal begins with that names the post it would repeat. */
const DUPLICATE_CODE = 'duplicate_of/';

/** The post that a refusal says is there already. */
export const duplicateOf = ({ code }: PlatformError): string | undefined =>
  code.startsWith(DUPLICATE_CODE) ? code.slice(DUPLICATE_CODE.length) : undefined;

/** The refusal in an answer. Its code begins with the status, but for a repeat, which is named. */
export function linkedinErrorOf({ status, body }: PlatformAnswer, nowMs: number): PlatformError | undefined {
  if (status < 400) return undefined;
  const read = v.safeParse(Said, body);
  const { code: word, serviceErrorCode: number, message } = read.success ? read.output : { message: '' };
  const twin = DUPLICATE.exec(message)?.[1];
  if (status === 422 && twin !== undefined) {
    const text = `it takes this for a repeat of a post of the last minutes (${twin}); change the text to post it again`;
    return { class: 'permanent', code: `${DUPLICATE_CODE}${twin}`, text };
  }
  const code = [status, number ?? word].filter((part) => part !== undefined).join('/');
  if (status === 429) return { class: 'later', code, text: LIMIT, atMs: nextUtcDay(nowMs) };
  const said = message.slice(0, MAX_SAID);
  if (status >= 500) return { class: 'retry', code, text: 'it failed on its side' };
  const rule = LINKEDIN_ERRORS[number ?? ''] ?? LINKEDIN_ERRORS[word ?? ''] ?? LINKEDIN_STATUSES[status];
  if (rule) return { ...rule, code };
  const byStatus = errorByStatus(status, said);
  return byStatus && { ...byStatus, code };
}

const LIMIT = 'the number of calls LinkedIn takes in a day is reached; this goes out after midnight (UTC)';

const nextUtcDay = (nowMs: number): number => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;

/** How LinkedIn is spoken to. Only approved partners get refresh tokens; without one a token ends after 60 days. */
export function linkedinDialect(
  { version, token }: LinkedinApi,
  needs: { readonly client: PlatformClient; readonly clock: Clock },
): PlatformDialect<LinkedinCredentials> {
  return {
    credentials: LinkedinCredentials,
    authorize: ({ access_token }) => ({
      authorization: `Bearer ${access_token}`,
      'linkedin-version': version,
      'x-restli-protocol-version': '2.0.0',
    }),
    errorOf: linkedinErrorOf,
    refresh: oauthRefresh(
      {
        url: token,
        credentials: LinkedinCredentials,
        app: ({ client_id, client_secret }) => ({ client_id, client_secret }),
        earlyMs: 7 * DAY_MS,
      },
      needs,
    ),
  };
}
