import {
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DynamoDbProcess, startDynamoDb } from '../../../local/dynamodb-process.ts';
import type { Edge } from '../../../local/edge/start-edge.ts';
import { ARNS, edgeModel, without } from './edge-model.ts';
import { clients, createTable, stateDirectory, testEdge } from './edge-under-test.ts';

const directory = stateDirectory();
const TableName = 'ServiceTable';
const row = (sk: string, rest = {}) => ({ pk: { S: 'WS#1' }, sk: { S: sk }, ...rest });
let engine: DynamoDbProcess;
let edge: Edge;
let dynamo: ReturnType<typeof clients>['dynamo'];

beforeAll(async () => {
  engine = await startDynamoDb({ stateDirectory: directory.path });
  edge = await testEdge({ stateDirectory: directory.path, dynamoEndpoint: engine.endpoint });
  await createTable(edge);
  dynamo = clients(edge, 'posts/create-post').dynamo;
});
beforeEach(() => {
  edge.faults.clear();
  edge.counts.reset();
});
afterAll(async () => {
  await edge.stop();
  await engine.stop();
  directory.remove();
});

const putAndCheck = new TransactWriteItemsCommand({
  TransactItems: [
    { Put: { TableName, Item: row('POST#1') } },
    { ConditionCheck: { TableName, Key: row('WORKSPACE'), ConditionExpression: 'attribute_not_exists(pk)' } },
  ],
});

describe('permissions on the table', () => {
  it('lets a function do what its role allows', async () => {
    await dynamo.send(new PutItemCommand({ TableName, Item: row('A') }));

    const { Item } = await dynamo.send(new GetItemCommand({ TableName, Key: row('A') }));

    expect(Item).toEqual(row('A'));
  });

  it('refuses what no statement allows, naming who, what and where', async () => {
    const scan = dynamo.send(new ScanCommand({ TableName }));

    await expect(scan).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringMatching(
        /assumed-role\/CreatePostRole\/CreatePost is not authorized to perform: dynamodb:Scan on resource: arn:.*table\/ServiceTable/,
      ),
    });
  });

  it.each(['dynamodb:PutItem', 'dynamodb:ConditionCheckItem'])(
    'judges each action of a transaction: %s',
    async (action) => {
      const narrow = await testEdge({
        model: edgeModel(without(action)),
        stateDirectory: directory.path,
        dynamoEndpoint: engine.endpoint,
      });

      const transaction = clients(narrow, 'CreatePost').dynamo.send(putAndCheck);

      await expect(transaction).rejects.toMatchObject({
        name: 'AccessDeniedException',
        message: expect.stringContaining(`${action} on resource: ${ARNS.table}`),
      });
      await narrow.stop();
    },
  );
});

describe('permissions by leading key', () => {
  const query = (pk: string) => ({
    TableName,
    KeyConditionExpression: '#pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ExpressionAttributeValues: { ':pk': { S: pk }, ':sk': { S: 'POST#' } },
  });

  it('lets a function write and read only the partitions its role names', async () => {
    await expect(dynamo.send(new QueryCommand(query('WS#1')))).resolves.toMatchObject({ Count: 0 });

    const otherRow = { ...row('A'), pk: { S: 'KEY#1' } };
    await expect(dynamo.send(new PutItemCommand({ TableName, Item: otherRow }))).rejects.toThrow(
      'dynamodb:PutItem',
    );
    await expect(dynamo.send(new QueryCommand(query('KEY#1')))).rejects.toThrow('dynamodb:Query');
    await expect(dynamo.send(new GetItemCommand({ TableName, Key: otherRow }))).rejects.toThrow(
      'dynamodb:GetItem',
    );
  });

  it('judges an index by its own name', async () => {
    const onIndex = {
      TableName,
      IndexName: 'due',
      KeyConditionExpression: 'due_shard = :shard AND wake_at < :now',
      ExpressionAttributeValues: { ':shard': { S: 'DUE#0' }, ':now': { S: '2026' } },
    };

    await expect(dynamo.send(new QueryCommand(onIndex))).resolves.toMatchObject({ Count: 0 });
    await expect(dynamo.send(new QueryCommand({ ...onIndex, IndexName: 'other' }))).rejects.toThrow(
      'table/ServiceTable/index/other',
    );
  });
});

describe('the account of calls', () => {
  it('counts calls, capacity and items for each principal, and of one invocation', async () => {
    const { accessKeyId } = edge.credentialsFor('CreatePost');
    edge.beginRequest(accessKeyId, 'request-1');
    await dynamo.send(new PutItemCommand({ TableName, Item: row('B') }));
    edge.beginRequest(accessKeyId, 'request-2');
    await dynamo.send(new GetItemCommand({ TableName, Key: row('B'), ConsistentRead: true }));

    const report = edge.counts.report();
    const second = edge.counts.report('request-2');

    expect(report.by_principal['posts/create-post']).toMatchObject({
      'dynamodb:PutItem': { calls: 1, write_units: 1 },
      'dynamodb:GetItem': { calls: 1, read_units: 1, items_read: 1 },
    });
    expect(second.calls).toMatchObject([{ operation: 'GetItem', request_id: 'request-2', status: 200 }]);
    expect(second.total).toMatchObject({ calls: 1, read_units: 1, write_units: 0 });
  });
});

describe('the account of refusals', () => {
  it('names what DynamoDB refused, and what no role allowed', async () => {
    const once = { TableName, Item: row('ONCE'), ConditionExpression: 'attribute_not_exists(pk)' };
    await dynamo.send(new PutItemCommand(once));

    await expect(dynamo.send(new PutItemCommand(once))).rejects.toThrow();
    await expect(dynamo.send(new ScanCommand({ TableName }))).rejects.toThrow();

    const errors = edge.counts.report().calls.map(({ error }) => error);
    expect(errors).toEqual(['', 'ConditionalCheckFailedException', 'AccessDeniedException']);
  });
});

describe('injected faults', () => {
  it('cancels a transaction for a conflict in words the SDK understands', async () => {
    edge.faults.set([{ operation: 'TransactWriteItems', fault: 'conflict', times: 1, seed: 7 }]);

    const error = await dynamo.send(putAndCheck).catch((thrown) => thrown);

    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect(error.CancellationReasons.map(({ Code }: { Code: string }) => Code).sort()).toEqual([
      'None',
      'TransactionConflict',
    ]);
    await dynamo.send(putAndCheck);
    expect(edge.faults.list()).toMatchObject([{ matched: 2, hits: 1 }]);
  });

  it('does the write whose reply is lost', async () => {
    edge.faults.set([{ operation: 'PutItem', fault: 'lose-reply' }]);

    await expect(dynamo.send(new PutItemCommand({ TableName, Item: row('C') }))).rejects.toThrow();

    const { Item } = await dynamo.send(new GetItemCommand({ TableName, Key: row('C') }));
    expect(Item).toBeDefined();
  });

  it('does not do the write that fails before', async () => {
    edge.faults.set([{ operation: 'PutItem', fault: 'fail-before' }]);

    await expect(dynamo.send(new PutItemCommand({ TableName, Item: row('D') }))).rejects.toThrow();

    const { Item } = await dynamo.send(new GetItemCommand({ TableName, Key: row('D') }));
    expect(Item).toBeUndefined();
  });
});
