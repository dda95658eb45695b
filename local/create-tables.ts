import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { ServiceModel, TableModel } from './service-model.ts';
import { StartupError } from './startup-error.ts';

/**
 * Makes the template's tables where they are missing, as a deployment does.
 *
 * @throws {StartupError} when a table of an earlier version of the template has other indexes
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
  const wanted = indexNames(definition.GlobalSecondaryIndexes);
  if (existing) {
    if (existing.join() === wanted.join()) return;
    throw new StartupError(
      `the table of this state directory has the indexes ${existing.join(', ')}, the stack has ${wanted.join(', ')}: start with --reset, which deletes its data`,
    );
  }
  await client.send(new CreateTableCommand(definition as unknown as CreateTableCommandInput));
  if (!ttlAttribute) return;
  const TimeToLiveSpecification = { AttributeName: ttlAttribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
}

async function indexesOf(client: DynamoDBClient, name: string): Promise<string[] | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return indexNames(Table?.GlobalSecondaryIndexes);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

function indexNames(indexes: unknown): string[] {
  if (!Array.isArray(indexes)) return [];
  return indexes.map((index: { IndexName?: string }) => index.IndexName ?? '').sort();
}
