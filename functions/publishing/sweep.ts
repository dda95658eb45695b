import * as v from 'valibot';
import { MESSAGE_GRACE_MS } from '../posts/due.ts';
import { PostRow } from '../posts/post.ts';
import { overdueWrites } from '../posts/post-effects.ts';
import { type Clock, isoAt, MINUTE_MS } from '../shared/clock.ts';
import { DUE_SHARDS, indexes } from '../shared/table/indexes.ts';
import type { Row, RowKey } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { sendFor, type WorkQueues } from './work-queues.ts';

interface Needs extends WorkQueues {
  readonly table: ServiceTable;
  readonly clock: Clock;
}

/** What a sweep saw. */
export interface Swept {
  /** Rows it drove on. */
  readonly driven: number;
  /** How long the row that waits longest has been without any outcome, in milliseconds. */
  readonly oldestOverdueMs: number;
  /** Why rows could not be driven on; the others were. */
  readonly errors: readonly unknown[];
}

/** Rows driven on at the same time, in each shard. */
const AT_ONCE = 10;

/**
 * Drives on every row whose `wake_at` has passed: its message or schedule was lost, or its worker died. It
 * only sends the message again; whether anything is to be done the row tells the worker. A repeat is
 * harmless for the same reason, and two sweeps at once share the rows, since each takes a row by moving its
 * `wake_at` on. A row that cannot be driven on holds no other up.
 *
 * @param untilMs when to stop taking further rows, in milliseconds since the epoch; the next sweep goes on.
 */
export async function sweep(untilMs: number, needs: Needs): Promise<Swept> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => `DUE#${shard}`);
  const driven: number[] = [];
  const errors: unknown[] = [];
  const drivenOn = (overdueMs: number) => driven.push(overdueMs);
  await Promise.all(
    shards.map((shard) =>
      sweepShard(shard, untilMs, { ...needs, drivenOn, failed: (error) => errors.push(error) }),
    ),
  );
  return { driven: driven.length, oldestOverdueMs: driven.reduce((a, b) => Math.max(a, b), 0), errors };
}

interface Sweeping extends Needs {
  readonly drivenOn: (overdueMs: number) => void;
  readonly failed: (error: unknown) => void;
}

async function sweepShard(shard: string, untilMs: number, needs: Sweeping): Promise<void> {
  const now = isoAt(needs.clock());
  let last: Row | undefined;
  do {
    const page = await needs.table.query({
      IndexName: indexes.due,
      KeyConditionExpression: 'due_shard = :shard AND wake_at <= :now',
      ExpressionAttributeValues: { ':shard': shard, ':now': now },
      ExclusiveStartKey: last,
      Limit: 100,
    });
    for (let from = 0; from < page.rows.length && needs.clock() < untilMs; from += AT_ONCE) {
      const rows = page.rows.slice(from, from + AT_ONCE);
      await Promise.all(rows.map((row) => drive(row, needs).catch(needs.failed)));
    }
    last = page.last;
  } while (last && needs.clock() < untilMs);
}

/** Takes one row and sends its message; leaves it alone if another sweep or its worker was faster. */
async function drive(entry: Row, needs: Sweeping): Promise<void> {
  const { table, clock, drivenOn } = needs;
  const key = { pk: String(entry.pk), sk: String(entry.sk) } satisfies RowKey;
  const nowMs = clock();
  const taken = await table.update({
    Key: key,
    // Since when nothing has come of the row: `wake_at` itself moves on with every sweep.
    UpdateExpression: 'SET wake_at = :later, overdue_since = if_not_exists(overdue_since, :seen)',
    ConditionExpression: 'wake_at = :seen',
    ExpressionAttributeValues: { ':seen': entry.wake_at, ':later': isoAt(nowMs + MESSAGE_GRACE_MS) },
  });
  if (taken.outcome === 'refused') return;
  drivenOn(nowMs - Date.parse(String(taken.row.overdue_since)));
  await sendFor(taken.row, needs);
  await unlist(taken.row, needs);
}

/** How long after its time a post is late by any of our clocks. */
const SURELY_LATE_MS = MINUTE_MS;

/** A post that is late no longer waits for its time: lists of those that do need not read past it. */
async function unlist(row: Row, { table, clock }: Sweeping): Promise<void> {
  if (row.scheduled_in === undefined) return;
  const post = v.parse(PostRow, row);
  const isLate = (post.scheduled_for ?? '') <= isoAt(clock() - SURELY_LATE_MS);
  if (isLate) await table.commit(overdueWrites(post));
}
