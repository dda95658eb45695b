import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as v from 'valibot';
import { SCOPES } from '../shared/http/operation.ts';

/** The fixed start of every key; with `live` and the checksum it lets secret scanners find leaked keys. */
const PREFIX = 'spp_live';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LOOKUP_BYTES = 12;
const SECRET_BYTES = 32;
const CHECKSUM_LENGTH = 6;

const LOOKUP_FORM = /^[0-9A-Za-z]{17}$/;
const KEY_FORM = /^spp_live_([0-9A-Za-z]{17})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** The row of a key: what it may do, and how often. The key itself is nowhere but with its owner. */
export const ApiKeyRow = v.object({
  lookup: v.string(),
  workspace_id: v.string(),
  secret_hash: v.string(),
  scopes: v.array(v.picklist(SCOPES)),
  /** Requests a minute. */
  rate_limit: v.number(),
  /** Set where the limit is this key's own and does not follow the workspace's plan. */
  own_rate_limit: v.optional(v.boolean()),
  expires_at: v.optional(v.string()),
  revoked_at: v.optional(v.string()),
  /** Seals the cursors of the workspace's lists: 32 bytes in base64url, the same for all its keys. */
  cursor_key: v.string(),
  /** Requests by minute since the epoch; only the current minute counts. */
  used: v.record(v.string(), v.number()),
});
export type ApiKeyRow = v.InferOutput<typeof ApiKeyRow>;

const base62 = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text;
};

const random = (bytes: number, length: number) =>
  base62(BigInt(`0x${randomBytes(bytes).toString('hex')}`), length);

const checksum = (text: string) => base62(BigInt(crc32(text)), CHECKSUM_LENGTH);

/**
 * Only this hash of a secret is stored. The secret has 256 random bits, so a plain SHA-256 of it cannot
 * be searched for, and needs no pepper to be kept beside it.
 */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(`api key secret\n${secret}`).digest('hex');

/** A new key: `spp_live_<lookup>_<secret><checksum>`, the checksum being CRC-32 of all before it. */
export function newApiKey(): { apiKey: string; lookup: string; secret: string } {
  const lookup = random(LOOKUP_BYTES, 17);
  const secret = random(SECRET_BYTES, 43);
  const body = `${PREFIX}_${lookup}_${secret}`;
  return { apiKey: body + checksum(body), lookup, secret };
}

/** The parts of a key; nothing if the text is not one, which its form and checksum tell without any lookup. */
export function parseApiKey(text: string): { lookup: string; secret: string } | undefined {
  const [, lookup, secret, sum] = KEY_FORM.exec(text) ?? [];
  if (!lookup || !secret || checksum(`${PREFIX}_${lookup}_${secret}`) !== sum) return undefined;
  return { lookup, secret };
}

/** The lookup part of a key, or the lookup itself: an operator may have either. Nothing where it is neither. */
export const lookupOf = (keyOrLookup: string): string | undefined =>
  LOOKUP_FORM.test(keyOrLookup) ? keyOrLookup : parseApiKey(keyOrLookup)?.lookup;
