import type { Write } from '../../../functions/shared/table/effect.ts';
import { nameOf, type Row, type RowKey } from '../../../functions/shared/table/keys.ts';
import type { Committed, ServiceTable, Updated } from '../../../functions/shared/table/service-table.ts';
import { holds, type Item, type Names, updated } from './expression.ts';
import type { RowWatch } from './watch-rows.ts';

/** The table in memory, as a DynamoDB table behaves: single writes and transactions are atomic. */
export interface MemoryTable extends ServiceTable {
  all(): Iterable<Item>;
  row(key: RowKey): Item | undefined;
  ofPost(workspaceId: string, postId: string): Item[];
  put(item: Item): void;
  /** Whether any row has something to happen, until a moment. @default ever */
  isDue(untilMs?: number): boolean;
}

interface OneWrite extends Names {
  readonly kind: string;
  readonly Key?: unknown;
  readonly Item?: unknown;
  readonly ConditionExpression?: string | undefined;
  readonly UpdateExpression?: string | undefined;
}

/** Rows of a post lie in one bucket, so that reading a post does not read them all. */
const POST_PREFIX = 'POST#00000000-0000-0000-0000-000000000000'.length;
const bucketOf = (pk: unknown, sk: unknown) => `${pk}|${String(sk).slice(0, POST_PREFIX)}`;

/** An empty table, each change of which is watched. */
export function memoryTable(watch: Pick<RowWatch, 'changed' | 'committed'>): MemoryTable {
  const rows = new Map<string, Item>();
  const buckets = new Map<string, Map<string, Item>>();
  const due = new Map<string, Item>();

  const store = (key: RowKey, after: Item | undefined) => {
    const name = nameOf(key);
    const before = rows.get(name);
    const bucket = buckets.get(bucketOf(key.pk, key.sk)) ?? new Map();
    buckets.set(bucketOf(key.pk, key.sk), bucket);
    for (const index of [rows, bucket]) after ? index.set(name, after) : index.delete(name);
    if (after?.wake_at === undefined) due.delete(name);
    else due.set(name, after);
    watch.changed(before, after);
  };

  function apply(writes: readonly OneWrite[]): Committed {
    const plans = writes.map((write) => {
      const key = (write.Key ?? write.Item) as RowKey;
      return { write, key: { pk: key.pk, sk: key.sk }, before: rows.get(`${key.pk}|${key.sk}`) };
    });
    if (new Set(plans.map(({ key }) => nameOf(key))).size < plans.length) {
      throw new Error('a transaction writes one row twice');
    }
    const index = plans.findIndex(
      ({ write, before }) => !holds(write.ConditionExpression, before ?? {}, write),
    );
    if (index >= 0) return { outcome: 'refused', index, current: plans[index]?.before };
    for (const { write, key, before } of plans) {
      if (write.kind === 'Put') store(key, defined(write.Item as Item));
      if (write.kind === 'Delete') store(key, undefined);
      if (write.kind === 'Update') {
        const after = updated(write.UpdateExpression ?? '', before ?? {}, write);
        store(key, defined({ ...key, ...after }));
      }
    }
    watch.committed(table);
    return { outcome: 'committed' };
  }

  const table: MemoryTable = {
    all: () => rows.values(),
    isDue: (untilMs = Number.POSITIVE_INFINITY) =>
      [...due.values()].some(({ wake_at }) => Date.parse(String(wake_at)) <= untilMs),
    row: (key) => rows.get(nameOf(key)),
    ofPost: (workspaceId, postId) => [
      ...(buckets.get(bucketOf(`WS#${workspaceId}`, `POST#${postId}`))?.values() ?? []),
    ],
    put: (item) => store(item as unknown as RowKey, item),
    async get(keys) {
      const found = keys.flatMap((key): [string, Row][] => {
        const row = rows.get(nameOf(key));
        return row ? [[nameOf(key), row]] : [];
      });
      return new Map(found);
    },
    async query({ IndexName, ExpressionAttributeValues: values = {}, Limit = 1000 }) {
      if (IndexName === undefined) {
        const prefix = String(values[':post']);
        const bucket = buckets.get(bucketOf(values[':pk'], prefix)) ?? new Map();
        return { rows: [...bucket.values()], last: undefined };
      }
      const [shard, now] = [values[':shard'], String(values[':now'])];
      const found = [...due.values()].filter(
        ({ due_shard, wake_at }) => due_shard === shard && String(wake_at) <= now,
      );
      const ordered = found.sort((a, b) => (String(a.wake_at) < String(b.wake_at) ? -1 : 1));
      return { rows: ordered.slice(0, Limit), last: undefined };
    },
    commit: async (writes) => apply(writes.map(oneOf)),
    async update(input): Promise<Updated> {
      const key = input.Key as unknown as RowKey;
      const result = apply([{ kind: 'Update', ...input } as OneWrite]);
      return result.outcome === 'committed'
        ? { outcome: 'updated', row: rows.get(nameOf(key)) ?? {} }
        : { outcome: 'refused', current: result.current };
    },
  };
  return table;
}

function oneOf(write: Write): OneWrite {
  const [entry] = Object.entries(write);
  if (!entry) throw new Error('an empty write');
  return { kind: entry[0], ...(entry[1] as Omit<OneWrite, 'kind'>) };
}

const defined = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
