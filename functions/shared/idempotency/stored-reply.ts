import * as v from 'valibot';
import { DAY_MS, isoAt } from '../clock.ts';
import type { HttpReply } from '../http/http-handler.ts';
import type { Effect, Write } from '../table/effect.ts';
import { keys, type Row, type RowKey } from '../table/keys.ts';
import type { IdempotentRequest } from './idempotent-request.ts';

/** How long a request can be repeated and gets its first answer again, from its completion on. */
export const REPLAY_WINDOW_MS = DAY_MS;

/**
 * A row holds 400 KB; the answer to a post with 25 full targets is over 1 MB. Longer answers continue in
 * rows beside the first, written by the same transaction.
 */
const BYTES_PER_ROW = 300 * 1024;

const StoredReplyRow = v.object({
  fingerprint: v.string(),
  status: v.number(),
  body: v.instance(Uint8Array),
  parts: v.number(),
  expires_at: v.string(),
});
/** The remembered answer to a request, or its first part. */
export type StoredReply = v.InferOutput<typeof StoredReplyRow>;

const partKey = ({ pk, sk }: RowKey, part: number): RowKey =>
  part === 0 ? { pk, sk } : { pk, sk: `${sk}#${part}` };

/** Reads a remembered answer; nothing if there is none, or its time is over though its row is still there. */
export function storedReply(row: Row | undefined, nowMs: number): StoredReply | undefined {
  if (row === undefined) return undefined;
  const stored = v.parse(StoredReplyRow, row);
  return Date.parse(stored.expires_at) > nowMs ? stored : undefined;
}

/** The rows that continue an answer. */
export const continuationKeys = (request: IdempotentRequest, stored: StoredReply): RowKey[] =>
  Array.from({ length: stored.parts - 1 }, (_, index) =>
    partKey(keys.idempotency(request.workspaceId, request.hashedKey), index + 1),
  );

/** The writes that remember an answer; the first refuses if the key has been used within its window. */
export function rememberReply(
  request: IdempotentRequest,
  reply: HttpReply,
  nowMs: number,
): Effect['write'][] {
  const key = keys.idempotency(request.workspaceId, request.hashedKey);
  const bytes = Buffer.from(reply.body, 'utf8');
  const parts = Math.max(1, Math.ceil(bytes.length / BYTES_PER_ROW));
  const expiresAtMs = nowMs + REPLAY_WINDOW_MS;
  return Array.from({ length: parts }, (_, part): Write => {
    const row = {
      ...partKey(key, part),
      body: bytes.subarray(part * BYTES_PER_ROW, (part + 1) * BYTES_PER_ROW),
      expires_at: isoAt(expiresAtMs),
      expires_at_seconds: Math.ceil(expiresAtMs / 1000),
    };
    if (part > 0) return { Put: { Item: row } };
    return {
      Put: {
        Item: {
          ...row,
          fingerprint: request.fingerprint,
          status: reply.status,
          parts,
          completed_at: isoAt(nowMs),
        },
        ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
        ExpressionAttributeValues: { ':now': isoAt(nowMs) },
      },
    };
  });
}
