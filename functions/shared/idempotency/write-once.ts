import type { Clock } from '../clock.ts';
import { type HttpReply, jsonReply } from '../http/http-handler.ts';
import { type ErrorCode, RequestError } from '../request-error.ts';
import type { Effect } from '../table/effect.ts';
import { type Found, keys, nameOf, type RowKey } from '../table/keys.ts';
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

interface Write<Made> {
  readonly table: ServiceTable;
  readonly clock: Clock;
  readonly request: IdempotentRequest;
  /** What is read together with the idempotency row, in one call: all that a repetition ever reads. */
  readonly reads: readonly RowKey[];
  /** What else the decision needs, once the first rows tell what that is. */
  readonly thenReads?: (found: Found) => readonly RowKey[];
  /**
   * What must be done outside the table before anything can be decided, such as storing a file; done once, and
   * only for a request that is no repeat. Nothing may come of it that matters should the commit not follow.
   */
  readonly prepare?: (found: Found) => Promise<Made>;
  /** Pure but for clock and ids: it may be called again when what it read was stale. */
  readonly decide: (found: Found, nowMs: number, made: Made) => Decision;
  /**
   * What must still hold for a refusal to be remembered. Rows that were read in two calls may be of two moments;
   * the effects' own conditions notice that, but a refusal has none.
   */
  readonly refusedWhile?: (found: Found) => readonly Effect[];
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
export async function writeOnce<Made = undefined>(write: Write<Made>): Promise<HttpReply> {
  const { table, clock, request } = write;
  let making: Promise<Made> | undefined;
  const ownKey = keys.idempotency(request.workspaceId, request.hashedKey);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const first = await table.get([ownKey, ...write.reads]);
    const earlier = storedReply(first.get(nameOf(ownKey)), clock());
    if (earlier) return replay(table, request, earlier);

    const more = write.thenReads?.((key) => first.get(nameOf(key)));
    const then = more && (await table.get(more));
    const found: Found = (key) => first.get(nameOf(key)) ?? then?.get(nameOf(key));
    let nowMs = clock();
    let decision: Decision | 'read again' = await decided(write.refusedWhile?.(found), async () => {
      making ??= write.prepare?.(found) ?? (Promise.resolve() as Promise<Made>);
      const made = await making;
      nowMs = clock();
      return write.decide(found, nowMs, made);
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

async function decided(
  refusedWhile: readonly Effect[] | undefined,
  decide: () => Promise<Decision>,
): Promise<Decision> {
  try {
    return await decide();
  } catch (error) {
    return rememberedRefusal(error, refusedWhile);
  }
}

function rememberedRefusal(error: unknown, effects: readonly Effect[] = []): Decision {
  if (!(error instanceof RequestError) || !REMEMBERED.has(error.code)) throw error;
  return { reply: jsonReply(error.status, error.envelope), effects };
}

type Result = { readonly reply: HttpReply } | { readonly next: Decision | 'read again' };

async function commit<Made>(
  { table, request }: Write<Made>,
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
