import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, type KeySchemaElement } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { dynamoClient } from '../functions/shared/aws-clients.ts';
import { dynamoTable, type ServiceTable } from '../functions/shared/table/service-table.ts';
import { TABLE_INDEXES } from '../lib/features/service.ts';
import { startDynamoDb } from '../local/dynamodb-process.ts';

/** The service's table in a DynamoDB engine of its own; usable from the first test of a file on. */
export interface TableUnderTest {
  readonly table: ServiceTable;
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  /** Where the engine listens. */
  readonly endpoint: string;
}

/**
 * Gives a test file a fresh table, with the keys and indexes the stack gives it: conditions, limits and
 * reserved words are then judged by an engine and not by a fake.
 */
export function tableUnderTest(): TableUnderTest {
  const directory = mkdtempSync(join(tmpdir(), 'table-'));
  const tableName = `table-${process.pid}-${Date.now()}`;
  let made: Pick<TableUnderTest, 'table' | 'client' | 'endpoint'> | undefined;
  let stop = async () => {};

  beforeAll(async () => {
    const engine = await startDynamoDb({ stateDirectory: directory });
    stop = engine.stop;
    const account = {
      region: 'eu-central-1',
      endpoint: engine.endpoint,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    };
    await createTable(new DynamoDBClient(account), tableName);
    const client = dynamoClient(account);
    made = { client, table: dynamoTable(client, tableName), endpoint: engine.endpoint };
  });

  afterAll(async () => {
    made?.client.destroy();
    await stop();
    rmSync(directory, { recursive: true });
  });

  const ready = () => {
    if (!made) throw new Error('the table is there only while tests run');
    return made;
  };
  return {
    get table() {
      return ready().table;
    },
    get client() {
      return ready().client;
    },
    get endpoint() {
      return ready().endpoint;
    },
    tableName,
  };
}

const keySchema = (partition: string, sort: string): KeySchemaElement[] => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

async function createTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const indexes = Object.entries(TABLE_INDEXES);
  const names = new Set(['pk', 'sk', ...indexes.flatMap(([, index]) => [index.partitionKey, index.sortKey])]);
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: keySchema('pk', 'sk'),
      AttributeDefinitions: [...names].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      GlobalSecondaryIndexes: indexes.map(([name, { partitionKey, sortKey, projects }]) => ({
        IndexName: name,
        KeySchema: keySchema(partitionKey, sortKey),
        Projection: { ProjectionType: projects === 'all' ? 'ALL' : 'KEYS_ONLY' },
      })),
    }),
  );
  client.destroy();
}
