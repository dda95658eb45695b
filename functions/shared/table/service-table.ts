import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { RequestError } from '../request-error.ts';
import type { Write } from './effect.ts';
import { nameOf, type Row, type RowKey } from './keys.ts';
import { withJitter } from './with-jitter.ts';

/** How a transaction ended: all of it, or none, and then which write refused and what its row holds now. */
export type Committed =
  | { readonly outcome: 'committed' }
  | { readonly outcome: 'refused'; readonly index: number; readonly current: Row | undefined };

/** How a conditional update ended. `current` is the row before it, undefined where there is none. */
export type Updated =
  | { readonly outcome: 'updated'; readonly row: Row }
  | { readonly outcome: 'refused'; readonly current: Row | undefined };

/**
 * The service's one table, as the stores see it. Reads are strongly consistent unless an index is read.
 * Every call throws the RequestError rate_limited when conflicts or throttling outlast the retries.
 */
export interface ServiceTable {
  /** Reads rows by key, in one call up to 100 keys. Missing rows are missing from the map. */
  get(keys: readonly RowKey[]): Promise<ReadonlyMap<string, Row>>;
  query(input: Omit<QueryCommandInput, 'TableName'>): Promise<{ rows: Row[]; last: Row | undefined }>;
  commit(writes: readonly Write[]): Promise<Committed>;
  /** A single conditional write; the whole new row, or the row that refused. */
  update(input: Omit<UpdateCommandInput, 'TableName'>): Promise<Updated>;
}

/** BatchGetItem takes at most this many keys (DynamoDB API reference). */
const KEYS_PER_CALL = 100;

const RETRIED_REASONS = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** What DynamoDB calls having too much to do, after the SDK's own retries. */
const THROTTLING = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TransactionInProgressException',
]);

const busy = () =>
  new RequestError(
    'rate_limited',
    'too many requests touch the same records at once; try again in a second',
    {
      headers: { 'retry-after': '1' },
    },
  );

async function orBusy<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof DynamoDBServiceException && THROTTLING.has(error.name) ? busy() : error;
  }
}

/** The table over DynamoDB. */
export function dynamoTable(client: DynamoDBDocumentClient, tableName: string): ServiceTable {
  const named = (write: Write) =>
    Object.fromEntries(
      Object.entries(write).map(([kind, value]) => [
        kind,
        { ...value, TableName: tableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const },
      ]),
    );

  /** An answer holds 16 MB; what does not fit, or was throttled, is asked for again. */
  async function getBatch(keys: readonly RowKey[], found: Map<string, Row>): Promise<void> {
    let asked: readonly RowKey[] = keys;
    await withJitter(busy, async () => {
      const { Responses, UnprocessedKeys } = await orBusy(
        client.send(
          new BatchGetCommand({ RequestItems: { [tableName]: { Keys: [...asked], ConsistentRead: true } } }),
        ),
      );
      for (const row of Responses?.[tableName] ?? []) found.set(nameOf(row as unknown as RowKey), row);
      asked = (UnprocessedKeys?.[tableName]?.Keys ?? []) as RowKey[];
      return asked.length > 0 ? 'try again' : undefined;
    });
  }

  return {
    async get(keys) {
      const found = new Map<string, Row>();
      const unique = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
      for (let from = 0; from < unique.length; from += KEYS_PER_CALL) {
        await getBatch(unique.slice(from, from + KEYS_PER_CALL), found);
      }
      return found;
    },

    async query(input) {
      const { Items, LastEvaluatedKey } = await orBusy(
        client.send(
          new QueryCommand({ ConsistentRead: input.IndexName === undefined, ...input, TableName: tableName }),
        ),
      );
      return { rows: Items ?? [], last: LastEvaluatedKey };
    },

    commit: (writes) =>
      withJitter(busy, async () => {
        try {
          await orBusy(client.send(new TransactWriteCommand({ TransactItems: writes.map(named) })));
          return { outcome: 'committed' };
        } catch (error) {
          if (!(error instanceof TransactionCanceledException)) throw error;
          const reasons = error.CancellationReasons ?? [];
          const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
          if (index >= 0) {
            const item = reasons[index]?.Item;
            return { outcome: 'refused', index, current: item && unmarshall(item) };
          }
          if (reasons.some(({ Code }) => RETRIED_REASONS.has(Code ?? ''))) return 'try again';
          throw error;
        }
      }),

    update: (input) =>
      withJitter(busy, async () => {
        try {
          const { Attributes } = await orBusy(
            client.send(
              new UpdateCommand({
                ReturnValues: 'ALL_NEW',
                ...input,
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
                TableName: tableName,
              }),
            ),
          );
          return { outcome: 'updated', row: Attributes ?? {} };
        } catch (error) {
          if (error instanceof TransactionConflictException) return 'try again';
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
          return { outcome: 'refused', current: error.Item && unmarshall(error.Item) };
        }
      }),
  };
}
