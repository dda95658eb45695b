import * as v from 'valibot';
import { TiktokCredentials } from '../../../channels/credentials.ts';
import { type Clock, HOUR_MS } from '../../../shared/clock.ts';
import { oauthRefresh } from '../oauth-refresh.ts';
import type { PlatformAnswer, PlatformClient } from '../platform-client.ts';
import { errorByStatus, type PlatformError } from '../platform-error.ts';
import type { Pause, PlatformDialect, Step } from '../step.ts';
import { TIKTOK_ERRORS } from './tiktok-errors.ts';

export type TiktokStep = Step<TiktokCredentials>;

/** Where TikTok's API is, version and all: https://open.tiktokapis.com/v2 */
export type TiktokBase = string;

const Said = v.object({ error: v.object({ code: v.string(), message: v.optional(v.string(), '') }) });
const MAX_SAID = 200;

/** The refusal in an answer: its own code decides, whatever the status. */
export function tiktokErrorOf({ status, body }: PlatformAnswer): PlatformError | undefined {
  const read = v.safeParse(Said, body);
  if (!read.success) return errorByStatus(status, undefined);
  const { code, message } = read.output.error;
  if (code === 'ok') return errorByStatus(status, message.slice(0, MAX_SAID));
  const rule = TIKTOK_ERRORS[code];
  if (rule) return { ...rule, code };
  const byStatus = errorByStatus(Math.max(status, 400), message.slice(0, MAX_SAID));
  return byStatus && { ...byStatus, code };
}

/** One cap is of our whole app: nobody's post goes out before it is lifted. */
function tiktokPauses(answer: PlatformAnswer, nowMs: number): readonly Pause[] {
  const error = tiktokErrorOf(answer);
  if (error?.code !== 'reached_active_user_cap') return [];
  return [{ scope: 'app', untilMs: nowMs + (error.waitSeconds ?? 0) * 1000 }];
}

/** How TikTok is spoken to. Its access tokens live for a day, and a refresh may replace the refresh token. */
export function tiktokDialect(
  base: TiktokBase,
  needs: { readonly client: PlatformClient; readonly clock: Clock },
): PlatformDialect<TiktokCredentials> {
  return {
    credentials: TiktokCredentials,
    authorize: ({ access_token }) => ({ authorization: `Bearer ${access_token}` }),
    errorOf: tiktokErrorOf,
    pausesOf: tiktokPauses,
    refresh: oauthRefresh(
      {
        url: `${base}/oauth/token/`,
        credentials: TiktokCredentials,
        app: ({ client_key, client_secret }) => ({ client_key, client_secret }),
        earlyMs: HOUR_MS,
      },
      needs,
    ),
  };
}
