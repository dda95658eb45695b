import * as v from 'valibot';
import { isoAt } from '../shared/clock.ts';
import { keys, type Row, type RowKey } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { ApiKeyRow } from './api-key.ts';

type Counted =
  | { readonly outcome: 'counted'; readonly key: ApiKeyRow; readonly used: number }
  | { readonly outcome: 'exhausted'; readonly limit: number }
  | { readonly outcome: 'refused' };

/** The rows of API keys. */
export interface ApiKeyStore {
  /** Checks a key and counts one request of its current minute, in one conditional write. */
  count(call: { lookup: string; secretHash: string; minute: number; nowMs: number }): Promise<Counted>;
  /** A lookup has 96 random bits, so none is drawn twice. */
  create(key: ApiKeyRow): Promise<'created' | 'no such workspace'>;
  /** Idempotent: the first revocation's time stays. Nothing is returned where there is no such key. */
  revoke(lookup: string, nowMs: number): Promise<ApiKeyRow | undefined>;
  /** Gives all keys of a workspace that follow its plan another limit. */
  changeRateLimit(workspaceId: string, requestsPerMinute: number): Promise<void>;
}

/**
 * Each minute counts under a name of its own, so that a new minute needs no reset and counting is always
 * one write. Names of minutes gone by are swept out when this many have gathered.
 */
const KEPT_MINUTES = 20;

/** API keys over the table. */
export function apiKeyStore(table: ServiceTable): ApiKeyStore {
  async function forget(Key: RowKey, minutes: string[]): Promise<void> {
    await table.update({
      Key,
      UpdateExpression: `REMOVE ${minutes.map((_, index) => `used.#m${index}`).join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: Object.fromEntries(minutes.map((minute, index) => [`#m${index}`, minute])),
    });
  }

  return {
    async count({ lookup, secretHash, minute, nowMs }) {
      const Key = keys.apiKey(lookup, secretHash);
      const updated = await table.update({
        Key,
        UpdateExpression: 'SET used.#minute = if_not_exists(used.#minute, :none) + :one',
        ConditionExpression: [
          'attribute_exists(pk)',
          'attribute_not_exists(revoked_at)',
          '(attribute_not_exists(expires_at) OR expires_at > :now)',
          '(attribute_not_exists(used.#minute) OR used.#minute < rate_limit)',
        ].join(' AND '),
        ExpressionAttributeNames: { '#minute': String(minute) },
        ExpressionAttributeValues: { ':now': isoAt(nowMs), ':none': 0, ':one': 1 },
      });
      if (updated.outcome === 'refused') return whyRefused(updated.current, nowMs);
      const key = v.parse(ApiKeyRow, updated.row);
      const past = Object.keys(key.used).filter((name) => Number(name) < minute);
      if (past.length >= KEPT_MINUTES) await forget(Key, past);
      return { outcome: 'counted', key, used: key.used[String(minute)] ?? 0 };
    },

    async create(key) {
      const pointer = keys.apiKeyOfWorkspace(key.workspace_id, key.lookup);
      const committed = await table.commit([
        {
          ConditionCheck: {
            Key: keys.workspace(key.workspace_id),
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
        {
          Put: {
            Item: { ...keys.apiKey(key.lookup, key.secret_hash), ...key },
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
        { Put: { Item: { ...pointer, lookup: key.lookup, secret_hash: key.secret_hash } } },
      ]);
      return committed.outcome === 'committed' ? 'created' : 'no such workspace';
    },

    async revoke(lookup, nowMs) {
      const { rows } = await table.query({
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': keys.apiKey(lookup, '').pk },
      });
      const [row] = rows;
      if (!row) return undefined;
      const updated = await table.update({
        Key: keys.apiKey(lookup, String(row.secret_hash)),
        UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :now)',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':now': isoAt(nowMs) },
      });
      return updated.outcome === 'updated' ? v.parse(ApiKeyRow, updated.row) : undefined;
    },

    async changeRateLimit(workspaceId, requestsPerMinute) {
      const { pk } = keys.workspace(workspaceId);
      let last: Row | undefined;
      do {
        const page = await table.query({
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :keys)',
          ExpressionAttributeValues: { ':pk': pk, ':keys': 'KEY#' },
          ExclusiveStartKey: last,
        });
        for (const { lookup, secret_hash } of page.rows) {
          await table.update({
            Key: keys.apiKey(String(lookup), String(secret_hash)),
            UpdateExpression: 'SET rate_limit = :limit',
            ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(own_rate_limit)',
            ExpressionAttributeValues: { ':limit': requestsPerMinute },
          });
        }
        last = page.last;
      } while (last);
    },
  };
}

function whyRefused(current: Row | undefined, nowMs: number): Counted {
  const read = v.safeParse(ApiKeyRow, current);
  if (!read.success) return { outcome: 'refused' };
  const key = read.output;
  const isLive = key.revoked_at === undefined && (key.expires_at ?? '9') > isoAt(nowMs);
  return isLive ? { outcome: 'exhausted', limit: key.rate_limit } : { outcome: 'refused' };
}
