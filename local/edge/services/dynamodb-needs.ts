import type { ServiceModel } from '../../service-model.ts';
import type { Need } from '../call.ts';
import { type Json, listOf, objectOf, textOf } from '../json.ts';

/** The tables as permissions name them. */
export interface TableNames {
  readonly arnOf: (tableName: string) => string;
  /** The partition key's attribute of a table, or of one of its indexes. */
  readonly partitionKeyOf: (tableName: string, indexName: string) => string;
}

type NeedsOf = (input: Json, names: TableNames) => readonly Need[];

/**
 * What each operation needs. A transaction needs no permission of its own: every action in it is judged
 * as its single-item twin (DynamoDB developer guide, "Using IAM with transactions").
 */
export const NEEDS: Readonly<Record<string, NeedsOf>> = {
  GetItem: (input, names) => [need('GetItem', input, [input.Key], names)],
  PutItem: (input, names) => [need('PutItem', input, [input.Item], names)],
  UpdateItem: (input, names) => [need('UpdateItem', input, [input.Key], names)],
  DeleteItem: (input, names) => [need('DeleteItem', input, [input.Key], names)],
  Query: (input, names) => [need('Query', input, [queriedKey(input, names)], names)],
  Scan: (input, names) => [need('Scan', input, [], names)],
  BatchGetItem: (input, names) =>
    Object.entries(objectOf(input.RequestItems)).map(([TableName, request]) =>
      need('BatchGetItem', { TableName }, listOf(objectOf(request).Keys), names),
    ),
  BatchWriteItem: (input, names) =>
    Object.entries(objectOf(input.RequestItems)).map(([TableName, requests]) =>
      need('BatchWriteItem', { TableName }, listOf(requests).map(writtenKey), names),
    ),
  TransactGetItems: (input, names) =>
    listOf(input.TransactItems).map((item) => {
      const get = objectOf(objectOf(item).Get);
      return need('GetItem', get, [get.Key], names);
    }),
  TransactWriteItems: (input, names) => listOf(input.TransactItems).map((item) => transactNeed(item, names)),
  DescribeTable: (input, names) => [need('DescribeTable', input, [], names)],
  DescribeTimeToLive: (input, names) => [need('DescribeTimeToLive', input, [], names)],
  UpdateTimeToLive: (input, names) => [need('UpdateTimeToLive', input, [], names)],
  CreateTable: (input, names) => [need('CreateTable', input, [], names)],
  UpdateTable: (input, names) => [need('UpdateTable', input, [], names)],
  DeleteTable: (input, names) => [need('DeleteTable', input, [], names)],
  ListTables: () => [{ action: 'dynamodb:ListTables', resource: '*' }],
};

const TRANSACT_ACTIONS = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** How the model's tables are named in permissions; any other table by the same pattern. */
export function tableNames({ tables, region, accountId }: ServiceModel): TableNames {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return {
    arnOf: (name) =>
      name.startsWith('arn:')
        ? name
        : (byName.get(name)?.arn ?? `arn:aws:dynamodb:${region}:${accountId}:table/${name}`),
    partitionKeyOf: (name, indexName) => {
      const { KeySchema, GlobalSecondaryIndexes } = objectOf(byName.get(name)?.definition);
      const index = listOf(GlobalSecondaryIndexes)
        .map(objectOf)
        .find(({ IndexName }) => IndexName === indexName);
      return partitionKey(index === undefined ? KeySchema : index.KeySchema);
    },
  };
}

function transactNeed(item: unknown, names: TableNames): Need {
  const [kind, action] = Object.entries(TRANSACT_ACTIONS).find(([name]) => name in objectOf(item)) ?? [
    '',
    'Unknown',
  ];
  const request = objectOf(objectOf(item)[kind]);
  return need(action, request, [request.Key ?? request.Item], names);
}

function need(action: string, input: Json, keys: readonly unknown[], names: TableNames): Need {
  const table = textOf(input.TableName);
  const arn = names.arnOf(table);
  const attribute = names.partitionKeyOf(table, textOf(input.IndexName));
  const leadingKeys = keys.map((key) => textOf(Object.values(objectOf(objectOf(key)[attribute]))[0]));
  return {
    action: `dynamodb:${action}`,
    resource: input.IndexName === undefined ? arn : `${arn}/index/${textOf(input.IndexName)}`,
    context: { 'dynamodb:LeadingKeys': leadingKeys },
  };
}

function writtenKey(request: unknown): unknown {
  const { PutRequest, DeleteRequest } = objectOf(request);
  return objectOf(PutRequest).Item ?? objectOf(DeleteRequest).Key;
}

/** The partition a query reads, found in its key condition as `name = :value`. */
function queriedKey(input: Json, names: TableNames): Json {
  const attribute = names.partitionKeyOf(textOf(input.TableName), textOf(input.IndexName));
  const aliases = Object.entries(objectOf(input.ExpressionAttributeNames))
    .filter(([, name]) => name === attribute)
    .map(([alias]) => alias);
  const equalities = textOf(input.KeyConditionExpression).matchAll(/([#\w]+)\s*=\s*(:\w+)/g);
  const found = equalities.find(([, name = '']) => [attribute, ...aliases].includes(name));
  return { [attribute]: objectOf(input.ExpressionAttributeValues)[found?.[2] ?? ''] };
}

function partitionKey(keySchema: unknown): string {
  const first = listOf(keySchema)
    .map(objectOf)
    .find(({ KeyType }) => KeyType === 'HASH');
  return textOf(first?.AttributeName) || 'pk';
}
