import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { dynamoTable } from '../../functions/shared/table/service-table.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

const dynamo = mockClient(DynamoDBDocumentClient);
const table = dynamoTable(
  DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' })),
  'TheTable',
);
beforeEach(() => dynamo.reset());

const key = (n: number) => ({ pk: 'WS#1', sk: `POST#${n}` });
const said = { message: 'said', $metadata: {} };
const cancelled = (...reasons: object[]) =>
  new TransactionCanceledException({ ...said, CancellationReasons: reasons });
const throttled = new ProvisionedThroughputExceededException(said);
const tooBusy = { code: 'rate_limited', headers: { 'retry-after': '1' } };
const write = { Put: { Item: key(1), ConditionExpression: 'attribute_not_exists(pk)' } };

describe('get', () => {
  it('asks for each row once, strongly consistent, a hundred in a call', async () => {
    dynamo
      .on(BatchGetCommand)
      .callsFake(({ RequestItems }) => ({ Responses: { TheTable: RequestItems.TheTable.Keys } }));
    const asked = Array.from({ length: 150 }, (_, n) => key(n));

    const rows = await table.get([...asked, key(0)]);

    const calls = dynamo
      .commandCalls(BatchGetCommand)
      .map(({ args }) => args[0].input.RequestItems?.TheTable);
    expect(calls.map((call) => call?.Keys?.length)).toEqual([100, 50]);
    expect(calls.every((call) => call?.ConsistentRead)).toBe(true);
    expect(rows.size).toBe(150);
    expect(rows.get('WS#1|POST#7')).toEqual(key(7));
  });

  it('asks nothing when there is nothing to ask', async () => {
    expect((await table.get([])).size).toBe(0);
    expect(dynamo.calls()).toHaveLength(0);
  });

  it('asks again for what did not fit into an answer', async () => {
    dynamo
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { TheTable: [key(1)] }, UnprocessedKeys: { TheTable: { Keys: [key(2)] } } })
      .resolvesOnce({ Responses: { TheTable: [key(2)] } });

    expect((await table.get([key(1), key(2), key(3)])).size).toBe(2);
    expect(dynamo.commandCalls(BatchGetCommand)[1]?.args[0].input.RequestItems?.TheTable?.Keys).toEqual([
      key(2),
    ]);
  });

  it('says 429 when rows stay unread, and when DynamoDB throttles', async () => {
    dynamo.on(BatchGetCommand).resolves({ UnprocessedKeys: { TheTable: { Keys: [key(1)] } } });
    await expect(table.get([key(1)])).rejects.toMatchObject(tooBusy);
    expect(dynamo.calls()).toHaveLength(8);

    dynamo.on(BatchGetCommand).rejects(throttled);
    await expect(table.get([key(1)])).rejects.toMatchObject(tooBusy);
  });
});

describe('query', () => {
  it('reads the table strongly consistent, which an index cannot be', async () => {
    dynamo.on(QueryCommand).resolves({ Items: [key(1)], LastEvaluatedKey: key(1) });

    const page = await table.query({ KeyConditionExpression: 'pk = :pk' });
    await table.query({ KeyConditionExpression: 'x = :x', IndexName: 'due' });

    expect(page).toEqual({ rows: [key(1)], last: key(1) });
    const inputs = dynamo.commandCalls(QueryCommand).map(({ args }) => args[0].input);
    expect(inputs).toMatchObject([
      { TableName: 'TheTable', ConsistentRead: true },
      { TableName: 'TheTable', IndexName: 'due', ConsistentRead: false },
    ]);
  });

  it('lets other failures through', async () => {
    dynamo.on(QueryCommand).rejects(new TypeError('a bug'));

    await expect(table.query({})).rejects.toThrow(TypeError);
  });
});

describe('commit', () => {
  it('writes all in one transaction that tells which row refused', async () => {
    dynamo.on(TransactWriteCommand).resolves({});

    expect(await table.commit([write])).toEqual({ outcome: 'committed' });
    expect(dynamo.commandCalls(TransactWriteCommand)[0]?.args[0].input).toEqual({
      TransactItems: [
        { Put: { ...write.Put, TableName: 'TheTable', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
      ],
    });
  });

  it('returns the first write that refused, with its row', async () => {
    dynamo
      .on(TransactWriteCommand)
      .rejects(
        cancelled(
          { Code: 'None' },
          { Code: 'ConditionalCheckFailed', Item: { pk: { S: 'WS#1' }, used: { N: '5' } } },
          { Code: 'ConditionalCheckFailed' },
        ),
      );

    expect(await table.commit([write, write, write])).toEqual({
      outcome: 'refused',
      index: 1,
      current: { pk: 'WS#1', used: 5 },
    });
  });

  it('returns no row where there is none', async () => {
    dynamo.on(TransactWriteCommand).rejects(cancelled({ Code: 'ConditionalCheckFailed' }));

    expect(await table.commit([write])).toEqual({ outcome: 'refused', index: 0, current: undefined });
  });

  it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'tries again after %s',
    async (Code) => {
      dynamo
        .on(TransactWriteCommand)
        .rejectsOnce(cancelled({ Code: 'None' }, { Code }))
        .resolvesOnce({});

      expect(await table.commit([write])).toEqual({ outcome: 'committed' });
    },
  );

  it('says 429 after eight conflicts, and when DynamoDB throttles', async () => {
    dynamo.on(TransactWriteCommand).rejects(cancelled({ Code: 'TransactionConflict' }));
    await expect(table.commit([write])).rejects.toMatchObject(tooBusy);
    expect(dynamo.calls()).toHaveLength(8);

    dynamo.on(TransactWriteCommand).rejects(throttled);
    await expect(table.commit([write])).rejects.toMatchObject(tooBusy);
  });

  it.each([
    ['a write DynamoDB does not understand', cancelled({ Code: 'ValidationError' })],
    ['an outage', new Error('ECONNRESET')],
  ])('lets %s through', async (_, error) => {
    dynamo.on(TransactWriteCommand).rejects(error);

    await expect(table.commit([write])).rejects.toBe(error);
    expect(dynamo.calls()).toHaveLength(1);
  });
});

describe('update', () => {
  const update = { Key: key(1), UpdateExpression: 'SET a = :a', ConditionExpression: 'attribute_exists(pk)' };

  it('returns the whole new row', async () => {
    dynamo.on(UpdateCommand).resolves({ Attributes: { ...key(1), a: 1 } });

    expect(await table.update(update)).toEqual({ outcome: 'updated', row: { ...key(1), a: 1 } });
    expect(dynamo.commandCalls(UpdateCommand)[0]?.args[0].input).toEqual({
      ...update,
      TableName: 'TheTable',
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  it('returns the row that refused, or none', async () => {
    dynamo
      .on(UpdateCommand)
      .rejectsOnce(new ConditionalCheckFailedException({ ...said, Item: { a: { N: '2' } } }))
      .rejectsOnce(new ConditionalCheckFailedException(said));

    expect(await table.update(update)).toEqual({ outcome: 'refused', current: { a: 2 } });
    expect(await table.update(update)).toEqual({ outcome: 'refused', current: undefined });
  });

  it('tries again after a conflict, and says 429 when it stays busy', async () => {
    dynamo.on(UpdateCommand).rejectsOnce(new TransactionConflictException(said)).resolvesOnce({});
    expect(await table.update(update)).toEqual({ outcome: 'updated', row: {} });

    dynamo.on(UpdateCommand).rejects(new TransactionConflictException(said));
    await expect(table.update(update)).rejects.toMatchObject(tooBusy);
    dynamo.on(UpdateCommand).rejects(throttled);
    await expect(table.update(update)).rejects.toMatchObject(tooBusy);
  });
});
