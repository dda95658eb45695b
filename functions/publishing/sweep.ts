import type { DueMessage } from '../posts/due.ts';
import { MESSAGE_GRACE_MS } from '../posts/due.ts';
import { type Clock, isoAt } from '../shared/clock.ts';
import type { Queue } from '../shared/queues/queue.ts';
import { DUE_SHARDS, indexes } from '../shared/table/indexes.ts';
import type { Row, RowKey } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import type { PublishMessage } from './target.ts';

interface Needs {
  readonly table: ServiceTable;
  readonly dueQueue: Queue<DueMessage>;
  readonly publishQueue: Queue<PublishMessage>;
  readonly clock: Clock;
}

/** What a sweep saw: how many rows it drove on, and how long past its time the oldest was, in milliseconds. */
export interface Swept {
  readonly driven: number;
  readonly oldestOverdueMs: number;
}

/**
 * Drives on every row whose `wake_at` has passed: its message or schedule was lost, or its worker died. It
 * only sends the message again; whether anything is to be done the row tells the worker. A repeat is
 * harmless for the same reason, and two sweeps at once share the rows, since each takes a row by moving its
 * `wake_at` on.
 *
 * @param untilMs when to stop taking further rows, in milliseconds since the epoch; the next sweep goes on.
 */
export async function sweep(untilMs: number, needs: Needs): Promise<Swept> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => `DUE#${shard}`);
  const swept = await Promise.all(shards.map((shard) => sweepShard(shard, untilMs, needs)));
  return {
    driven: swept.reduce((sum, { driven }) => sum + driven, 0),
    oldestOverdueMs: Math.max(...swept.map(({ oldestOverdueMs }) => oldestOverdueMs)),
  };
}

async function sweepShard(shard: string, untilMs: number, needs: Needs): Promise<Swept> {
  const startedMs = needs.clock();
  let driven = 0;
  let oldestOverdueMs = 0;
  let last: Row | undefined;
  do {
    const page = await needs.table.query({
      IndexName: indexes.due,
      KeyConditionExpression: 'due_shard = :shard AND wake_at <= :now',
      ExpressionAttributeValues: { ':shard': shard, ':now': isoAt(startedMs) },
      ExclusiveStartKey: last,
      Limit: 100,
    });
    for (const row of page.rows) {
      oldestOverdueMs = Math.max(oldestOverdueMs, startedMs - Date.parse(String(row.wake_at)));
      if (await drive(row, needs)) driven += 1;
    }
    last = page.last;
  } while (last && needs.clock() < untilMs);
  return { driven, oldestOverdueMs };
}

/** Takes one row and sends its message; false if another sweep or its worker was faster. */
async function drive(entry: Row, { table, dueQueue, publishQueue, clock }: Needs): Promise<boolean> {
  const key = { pk: String(entry.pk), sk: String(entry.sk) } satisfies RowKey;
  const taken = await table.update({
    Key: key,
    UpdateExpression: 'SET wake_at = :later',
    ConditionExpression: 'wake_at = :seen',
    ExpressionAttributeValues: { ':seen': entry.wake_at, ':later': isoAt(clock() + MESSAGE_GRACE_MS) },
  });
  if (taken.outcome === 'refused') return false;
  const { workspace_id, post_id, id, channel_id, generation } = taken.row as unknown as PublishMessage & {
    id: string;
  };
  if (channel_id === undefined) await dueQueue.send({ body: { workspace_id, post_id: id, generation } });
  else await publishQueue.send({ body: { workspace_id, post_id, channel_id, generation } });
  return true;
}
