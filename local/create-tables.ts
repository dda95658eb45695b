import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { ServiceModel, TableModel } from './service-model.ts';
import { StartupError } from './startup-error.ts';

/**
 * Makes the template's tables where they are missing, as a deployment does.
 *
 * @throws {StartupError} when a table of an earlier version of the template has other indexes: its rows lack
 * what would put them there, and lists would silently leave them out
 */
export async function createTables(model: ServiceModel, dynamoEndpoint: string): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: dynamoEndpoint,
    region: model.region,
    credentials: { accessKeyId: 'deployment', secretAccessKey: 'deployment' },
  });
  try {
    for (const table of model.tables) await createTable(client, table);
  } finally {
    client.destroy();
  }
}

async function createTable(
  client: DynamoDBClient,
  { name, definition, ttlAttribute }: TableModel,
): Promise<void> {
  const existing = await indexesOf(client, name);
  if (existing) {
    const wanted = shapesOf(definition.GlobalSecondaryIndexes);
    const different = [...existing, ...wanted].filter((shape) => !existing.has(shape) || !wanted.has(shape));
    if (different.length === 0) return;
    const names = [...new Set(different.map((shape) => shape.split(' ')[0]))].sort().join(', ');
    throw new StartupError(
      `the table of this state directory is of another version of the service, its indexes differ (${names}): start with --reset, which deletes its data, or choose another directory with STATE_DIR`,
    );
  }
  await client.send(new CreateTableCommand(definition as unknown as CreateTableCommandInput));
  if (!ttlAttribute) return;
  const TimeToLiveSpecification = { AttributeName: ttlAttribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
}

async function indexesOf(client: DynamoDBClient, name: string): Promise<Set<string> | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return shapesOf(Table?.GlobalSecondaryIndexes);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

const Indexes = v.optional(
  v.array(
    v.object({
      IndexName: v.string(),
      KeySchema: v.array(v.object({ AttributeName: v.string(), KeyType: v.string() })),
      Projection: v.object({ ProjectionType: v.string() }),
    }),
  ),
  [],
);

/** What indexes are, each in a text that begins with its name. */
const shapesOf = (indexes: unknown): Set<string> =>
  new Set(
    v
      .parse(Indexes, indexes)
      .map(({ IndexName, KeySchema, Projection }) =>
        [
          IndexName,
          ...KeySchema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`),
          Projection.ProjectionType,
        ].join(' '),
      ),
  );
