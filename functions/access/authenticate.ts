import { MINUTE_MS } from '../shared/clock.ts';
import type { Scope } from '../shared/http/operation.ts';
import { RequestError } from '../shared/request-error.ts';
import { hashSecret, parseApiKey } from './api-key.ts';
import type { ApiKeyStore } from './api-key-store.ts';

/** Who is calling: a key, and with it exactly one workspace. */
export interface Caller {
  readonly workspaceId: string;
  readonly scopes: readonly Scope[];
  readonly cursorKey: string;
  /** `RateLimit-*` headers for the answer to this call. */
  readonly rateHeaders: Readonly<Record<string, string>>;
}

/** One text for a key that is missing, malformed, unknown, wrong, expired or revoked: none can be told from another. */
const unauthorized = () =>
  new RequestError(
    'unauthorized',
    'the API key is missing or not valid; send it as "Authorization: Bearer <key>"',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  );

/**
 * Tells who calls, and counts the call against the key's limit, in one conditional write of the key's own
 * row. Revocation and expiry therefore take effect with the very next call.
 *
 * @throws {RequestError} unauthorized; rate_limited with `Retry-After` when the minute is used up.
 */
export async function authenticate(
  authorization: string | undefined,
  keys: ApiKeyStore,
  nowMs: number,
): Promise<Caller> {
  const token = /^Bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1];
  const parts = token === undefined ? undefined : parseApiKey(token);
  if (!parts) throw unauthorized();

  const minute = Math.floor(nowMs / MINUTE_MS);
  const resetSeconds = Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1000);
  const counted = await keys.count({
    lookup: parts.lookup,
    secretHash: hashSecret(parts.secret),
    minute,
    nowMs,
  });
  switch (counted.outcome) {
    case 'refused':
      throw unauthorized();
    case 'exhausted':
      throw new RequestError(
        'rate_limited',
        `this key may make ${counted.limit} requests a minute; wait ${resetSeconds} s and repeat the request`,
        { headers: { ...rateHeaders(counted.limit, 0, resetSeconds), 'retry-after': String(resetSeconds) } },
      );
    case 'counted': {
      const { workspace_id, scopes, cursor_key, rate_limit } = counted.key;
      return {
        workspaceId: workspace_id,
        scopes,
        cursorKey: cursor_key,
        rateHeaders: rateHeaders(rate_limit, rate_limit - counted.used, resetSeconds),
      };
    }
  }
}

const rateHeaders = (limit: number, remaining: number, resetSeconds: number) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(Math.max(0, remaining)),
  'ratelimit-reset': String(resetSeconds),
});
