import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startDynamoDb } from '../../local/dynamodb-process.ts';

let stateDirectory = '';

beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'dynamodb-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(stateDirectory, { recursive: true, force: true });
});

const client = (endpoint: string) =>
  new DynamoDBClient({
    ...{ endpoint, region: 'eu-west-1', maxAttempts: 1 },
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });

it('keeps its tables over a restart', async () => {
  const first = await startDynamoDb({ stateDirectory });
  await client(first.endpoint).send(
    new CreateTableCommand({
      TableName: 'Kept',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  await first.stop();

  const second = await startDynamoDb({ stateDirectory });

  const { TableNames } = await client(second.endpoint).send(new ListTablesCommand());
  expect(TableNames).toEqual(['Kept']);
  await second.stop();
});

it('does not outlive the process that started it, even by kill -9', async () => {
  const module = new URL('../../local/dynamodb-process.ts', import.meta.url).href;
  const script = `
    import { startDynamoDb } from ${JSON.stringify(module)};
    const { endpoint } = await startDynamoDb({ stateDirectory: ${JSON.stringify(stateDirectory)} });
    process.stdout.write(endpoint, () => process.kill(process.pid, 'SIGKILL'));`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const endpoint = String((await once(parent.stdout, 'data'))[0]);

  await vi.waitFor(() => expect(fetch(endpoint)).rejects.toThrow(), { timeout: 3000 });
});

it('stands back when another engine is named', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://dynamodb.example:8000');

  const engine = await startDynamoDb({ stateDirectory });

  expect(engine.endpoint).toBe('http://dynamodb.example:8000');
});

it('says in one line what is missing on a platform without an engine', async () => {
  vi.spyOn(process, 'arch', 'get').mockReturnValue('mips');

  await expect(startDynamoDb({ stateDirectory })).rejects.toThrow(
    /^no DynamoDB engine for this platform: install @dynoxide\/\w+-mips, or set AWS_ENDPOINT_URL_DYNAMODB/,
  );
});
