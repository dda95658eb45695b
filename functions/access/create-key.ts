import * as v from 'valibot';
import { type Clock, isoAt } from '../shared/clock.ts';
import { DateTime } from '../shared/date-time.ts';
import { SCOPES, type Scope } from '../shared/http/operation.ts';
import { RequestError } from '../shared/request-error.ts';
import { hashSecret, lookupOf, newApiKey } from './api-key.ts';
import type { ApiKeyStore } from './api-key-store.ts';

const RATE = 'must be a whole number of requests a minute, at least 1';

/** What an operator asks a new key to be. */
export const CreateKeyRequest = v.object({
  workspace_id: v.string(),
  scopes: v.pipe(
    v.array(v.picklist(SCOPES)),
    v.minLength(1, `must name at least one of ${SCOPES.join(', ')}`),
  ),
  /** Milliseconds since the epoch. */
  expires_at: v.optional(DateTime),
  /** Requests a minute of this key alone. @default the workspace's plan, also when that changes */
  rate_limit: v.optional(v.pipe(v.number(), v.safeInteger(RATE), v.minValue(1, RATE))),
});
export type CreateKeyRequest = v.InferOutput<typeof CreateKeyRequest>;

interface CreatedKey {
  /** Shown here and never again. */
  readonly api_key: string;
  readonly lookup: string;
  readonly scopes: readonly Scope[];
  readonly expires_at: string | null;
}

interface Needs {
  readonly apiKeys: ApiKeyStore;
  /** The workspace's sealing key and limit; nothing where there is no such workspace. */
  readonly workspace: (
    id: string,
  ) => Promise<{ cursor_key: string; limits: { requests_per_minute: number } } | undefined>;
  readonly clock: Clock;
}

/**
 * Makes an API key. Only its hash is stored.
 *
 * @throws {RequestError} not_found without such a workspace; invalid_request for an expiry in the past.
 */
export async function createKey(
  request: CreateKeyRequest,
  { apiKeys, workspace, clock }: Needs,
): Promise<CreatedKey> {
  const expiresAt = request.expires_at === undefined ? undefined : isoAt(request.expires_at);
  if (expiresAt !== undefined && expiresAt <= isoAt(clock())) {
    throw new RequestError('invalid_request', `expires_at must be in the future, got ${expiresAt}`);
  }
  const owner = await workspace(request.workspace_id);
  const { apiKey, lookup, secret } = newApiKey();
  const created =
    owner &&
    (await apiKeys.create({
      lookup,
      workspace_id: request.workspace_id,
      secret_hash: hashSecret(secret),
      scopes: request.scopes,
      rate_limit: request.rate_limit ?? owner.limits.requests_per_minute,
      ...(request.rate_limit !== undefined && { own_rate_limit: true }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
      cursor_key: owner.cursor_key,
      used: {},
    }));
  if (created !== 'created')
    throw new RequestError('not_found', `there is no workspace ${request.workspace_id}`);
  return { api_key: apiKey, lookup, scopes: request.scopes, expires_at: expiresAt ?? null };
}

/**
 * Revokes a key by itself or its lookup, at once; twice is as good as once.
 *
 * @throws {RequestError} not_found when there is no such key; invalid_request for a text that is none.
 */
export async function revokeKey(
  keyOrLookup: string,
  { apiKeys, clock }: Pick<Needs, 'apiKeys' | 'clock'>,
): Promise<{ lookup: string; revoked_at: string }> {
  const lookup = lookupOf(keyOrLookup);
  // What is neither may be a key with a typing error: it must not be repeated on a screen.
  if (!lookup) {
    throw new RequestError(
      'invalid_request',
      'this is neither an API key (spp_live_…) nor its lookup of 17 letters and digits',
    );
  }
  const revoked = await apiKeys.revoke(lookup, clock());
  if (!revoked?.revoked_at) throw new RequestError('not_found', `there is no key with the lookup ${lookup}`);
  return { lookup, revoked_at: revoked.revoked_at };
}
