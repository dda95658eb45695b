import type { Clock } from '../clock.ts';
import { type HttpReply, jsonReply } from '../http/http-handler.ts';
import { type ErrorCode, RequestError } from '../request-error.ts';
import type { Effect } from '../table/effect.ts';
import { keys, nameOf, type Row, type RowKey } from '../table/keys.ts';
import type { ServiceTable } from '../table/service-table.ts';
import { logger } from '../telemetry.ts';
import type { IdempotentRequest } from './idempotent-request.ts';
import { continuationKeys, rememberReply, type StoredReply, storedReply } from './stored-reply.ts';

/** What a write request comes to: its answer, the writes that make it true, and what to set going after. */
export interface Decision {
  readonly reply: HttpReply;
  readonly effects: readonly Effect[];
  /** Messages and schedules. They only hasten what the rows already say, so their failure is not the client's. */
  readonly afterCommit?: () => Promise<void>;
}

/** The rows that were read, by key. */
export type Found = (key: RowKey) => Row | undefined;

interface Write<Extra, Made> {
  readonly table: ServiceTable;
  readonly clock: Clock;
  readonly request: IdempotentRequest;
  /** What the decision needs, read together with the idempotency row in one call. */
  readonly reads: readonly RowKey[];
  /** What cannot be read by key, read at the same time. */
  readonly readAlso?: () => Promise<Extra>;
  /**
   * What must be done outside the table before anything can be decided, such as storing a file; done once, and
   * only for a request that is no repeat. Nothing may come of it that matters should the commit not follow.
   */
  readonly prepare?: (found: Found) => Promise<Made>;
  /** Pure but for clock and ids: it may be called again when what it read was stale. */
  readonly decide: (found: Found, extra: Extra, nowMs: number, made: Made) => Decision;
}

/**
 * Refusals that are answers: they are remembered, since repeating the request would mean executing it.
 * All others say that nothing was executed, and can heal.
 */
const REMEMBERED: ReadonlySet<ErrorCode> = new Set(['not_found', 'conflict', 'unprocessable']);

/** How often a decision is made anew because the rows under it changed. */
const MAX_ROUNDS = 6;

/**
 * Executes a write request exactly once per Idempotency-Key. Effect, quota and the remembered answer
 * commit in one transaction, so there is no moment in which one exists without the other, and no state
 * "in progress" that a crash could leave behind. Of any number of simultaneous calls one commits; the
 * others find its answer in the row that refused them.
 *
 * @throws {RequestError} idempotency_conflict when the key was used for another request; what `decide`
 * throws; rate_limited when the rows under the decision never stood still.
 */
export async function writeOnce<Extra = undefined, Made = undefined>(
  write: Write<Extra, Made>,
): Promise<HttpReply> {
  const { table, clock, request } = write;
  let making: Promise<Made> | undefined;
  const ownKey = keys.idempotency(request.workspaceId, request.hashedKey);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const [rows, extra] = await Promise.all([
      table.get([ownKey, ...write.reads]),
      write.readAlso?.() as Promise<Extra>,
    ]);
    const earlier = storedReply(rows.get(nameOf(ownKey)), clock());
    if (earlier) return replay(table, request, earlier);

    const found: Found = (key) => rows.get(nameOf(key));
    let nowMs = clock();
    let decision: Decision | 'read again' = await decided(async () => {
      making ??= write.prepare?.(found) ?? (Promise.resolve() as Promise<Made>);
      const made = await making;
      nowMs = clock();
      return write.decide(found, extra, nowMs, made);
    });
    while (decision !== 'read again') {
      const result: Result = await commit(write, decision, nowMs);
      if ('reply' in result) return result.reply;
      decision = result.next;
    }
  }
  throw new RequestError('rate_limited', 'the records of this request keep changing; try again in a second', {
    headers: { 'retry-after': '1' },
  });
}

async function decided(decide: () => Promise<Decision>): Promise<Decision> {
  try {
    return await decide();
  } catch (error) {
    return rememberedRefusal(error);
  }
}

function rememberedRefusal(error: unknown): Decision {
  if (!(error instanceof RequestError) || !REMEMBERED.has(error.code)) throw error;
  return { reply: jsonReply(error.status, error.envelope), effects: [] };
}

type Result = { readonly reply: HttpReply } | { readonly next: Decision | 'read again' };

async function commit<Extra, Made>(
  { table, request }: Write<Extra, Made>,
  { reply, effects, afterCommit }: Decision,
  nowMs: number,
): Promise<Result> {
  const remember = rememberReply(request, reply, nowMs);
  const committed = await table.commit([...remember, ...effects.map((effect) => effect.write)]);
  if (committed.outcome === 'committed') {
    await afterCommit?.().catch((error: Error) => logger.warn('dispatch left to the sweeper', { error }));
    return { reply };
  }
  if (committed.index < remember.length) {
    const winner = storedReply(committed.current, nowMs);
    return winner ? { reply: await replay(table, request, winner) } : { next: 'read again' };
  }
  const refusal = effects[committed.index - remember.length]?.refused(committed.current) ?? 'read again';
  return { next: refusal === 'read again' ? refusal : rememberedRefusal(refusal) };
}

async function replay(
  table: ServiceTable,
  request: IdempotentRequest,
  stored: StoredReply,
): Promise<HttpReply> {
  if (stored.fingerprint !== request.fingerprint) {
    throw new RequestError(
      'idempotency_conflict',
      'this Idempotency-Key was used for a different request in the last 24 hours; use a new key for a new request',
    );
  }
  const partKeys = continuationKeys(request, stored);
  const rows = await table.get(partKeys);
  const parts = partKeys.map((key) => rows.get(nameOf(key))?.body as Uint8Array);
  return {
    status: stored.status,
    body: Buffer.concat([stored.body, ...parts]).toString('utf8'),
    headers: { 'idempotent-replayed': 'true' },
  };
}
