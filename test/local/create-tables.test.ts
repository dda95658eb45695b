import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTables } from '../../local/create-tables.ts';
import { type DynamoDbProcess, startDynamoDb } from '../../local/dynamodb-process.ts';
import { StartupError } from '../../local/startup-error.ts';
import { serviceModel } from './models.ts';

const directory = mkdtempSync(join(tmpdir(), 'tables-'));
let engine: DynamoDbProcess;
beforeAll(async () => {
  engine = await startDynamoDb({ stateDirectory: directory });
});
afterAll(async () => {
  await engine.stop();
  rmSync(directory, { recursive: true });
});

const schema = (partition: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: 'sk', KeyType: 'RANGE' },
];

/** Makes a table with these indexes, each by its partition key. */
const createWith = (name: string, indexes: Readonly<Record<string, string>>, ProjectionType = 'KEYS_ONLY') =>
  createTables(
    serviceModel({
      tables: [
        {
          ...{ logicalId: name, name, arn: '', ttlAttribute: undefined },
          definition: {
            TableName: name,
            BillingMode: 'PAY_PER_REQUEST',
            KeySchema: schema('pk'),
            AttributeDefinitions: ['pk', 'sk', ...Object.values(indexes)].map((AttributeName) => ({
              AttributeName,
              AttributeType: 'S',
            })),
            GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, partition]) => ({
              IndexName,
              KeySchema: schema(partition),
              Projection: { ProjectionType },
            })),
          },
        },
      ],
    }),
    engine.endpoint,
  );

it('leaves a table alone that is as the template says', async () => {
  await createWith('same', { by_status: 'in_status', by_channel: 'of_channel' });

  await createWith('same', { by_channel: 'of_channel', by_status: 'in_status' });
});

it.each([
  ['one more index', { by_status: 'in_status', scheduled: 'scheduled_in' }, 'KEYS_ONLY', 'scheduled'],
  ['an index by another key', { by_status: 'status' }, 'KEYS_ONLY', 'by_status'],
  ['an index that holds more', { by_status: 'in_status' }, 'ALL', 'by_status'],
  ['no index', {}, 'KEYS_ONLY', 'by_status'],
] as const)(
  'refuses the table of an earlier version where the template has %s',
  async (what, indexes, projection, named) => {
    const name = what.replaceAll(' ', '-');
    await createWith(name, { by_status: 'in_status' });

    const refused = createWith(name, indexes, projection);

    await expect(refused).rejects.toThrow(StartupError);
    await expect(refused).rejects.toThrow(`its indexes differ (${named}): start with --reset`);
  },
);
