import * as v from 'valibot';
import type { Refresh, Refreshed } from '../../channels/fresh-credentials.ts';
import { type Clock, isoAt, SECOND_MS } from '../../shared/clock.ts';
import type { Fields } from './call-body.ts';
import type { PlatformClient } from './platform-client.ts';

/** What is written down of tokens that are renewed. */
interface Renewable {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_at?: string | undefined;
  readonly refresh_expires_at?: string | undefined;
}

/** A platform's token endpoint, by RFC 6749, section 6. */
interface TokenEndpoint<Credentials extends Renewable> {
  readonly url: string;
  readonly credentials: v.GenericSchema<unknown, Credentials>;
  /** How our app names itself. */
  readonly app: (credentials: Credentials) => Fields;
  /** How long before its end a token is renewed, in milliseconds. */
  readonly earlyMs: number;
}

const Seconds = v.pipe(v.number(), v.minValue(1));
const Token = v.pipe(v.string(), v.nonEmpty());
const Granted = v.object({
  access_token: Token,
  expires_in: Seconds,
  refresh_token: v.optional(Token),
  refresh_expires_in: v.optional(Seconds),
  refresh_token_expires_in: v.optional(Seconds),
});

/** The one word by which a token endpoint says that the grant itself is gone (RFC 6749, section 5.2). */
const Refused = v.object({ error: v.string() });
const GONE = 'invalid_grant';

/**
 * Renews tokens by the refresh token. The body of an answer decides, not its status: TikTok was seen to
 * refuse with 200. Only `invalid_grant` ends a connection; an answer without a new token changes nothing.
 */
export function oauthRefresh<Credentials extends Renewable>(
  endpoint: TokenEndpoint<Credentials>,
  { client, clock }: { client: PlatformClient; clock: Clock },
): Refresh {
  return {
    isDue(credentials, nowMs) {
      const { expires_at, refresh_token } = v.parse(endpoint.credentials, credentials);
      const isRenewable = refresh_token !== undefined && expires_at !== undefined;
      return isRenewable && Date.parse(expires_at) - nowMs < endpoint.earlyMs;
    },

    async refresh(credentials): Promise<Refreshed> {
      const old = v.parse(endpoint.credentials, credentials);
      const { refresh_token } = old;
      if (refresh_token === undefined) {
        return { outcome: 'gone', event: 'token_expired', code: 'not_renewable' };
      }
      const form = { ...endpoint.app(old), grant_type: 'refresh_token', refresh_token };
      const answer = await client({ kind: 'prepare', method: 'POST', url: endpoint.url, body: { form } });
      if (answer.outcome !== 'answered') return { outcome: 'failed', code: answer.code };
      const refused = v.safeParse(Refused, answer.body);
      if (refused.success && refused.output.error === GONE) {
        return { outcome: 'gone', event: 'token_expired', code: GONE };
      }
      const granted = v.safeParse(Granted, answer.body);
      if (!granted.success) {
        const code = refused.success ? refused.output.error : `http_${answer.status}`;
        return { outcome: 'failed', code };
      }
      return { outcome: 'refreshed', credentials: { ...old, ...renewed(granted.output, clock()) } };
    },
  };
}

function renewed(granted: v.InferOutput<typeof Granted>, nowMs: number): Partial<Renewable> {
  const refreshSeconds = granted.refresh_expires_in ?? granted.refresh_token_expires_in;
  return {
    access_token: granted.access_token,
    expires_at: isoAt(nowMs + granted.expires_in * SECOND_MS),
    ...(granted.refresh_token !== undefined && { refresh_token: granted.refresh_token }),
    ...(refreshSeconds !== undefined && { refresh_expires_at: isoAt(nowMs + refreshSeconds * SECOND_MS) }),
  };
}
