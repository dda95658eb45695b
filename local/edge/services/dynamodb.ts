import type { ServiceModel } from '../../service-model.ts';
import { unknownOperation } from '../aws-error.ts';
import type { Answer, EdgeCall, EdgeService, Usage } from '../call.ts';
import type { ForwardTo } from '../forward.ts';
import { type Json, listOf, numberOf, objectOf } from '../json.ts';
import { NEEDS, tableNames } from './dynamodb-needs.ts';
import { jsonRefusal, targetOf } from './json-protocol.ts';

const READS = ['GetItem', 'Query', 'Scan', 'BatchGetItem', 'TransactGetItems'];
const MEASURED = [...READS, 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'];

/**
 * DynamoDB, answered by an engine that speaks its API. Every call asks for its consumed capacity, also
 * when the caller did not; the answer then carries a member the SDK hands through and our code ignores.
 */
export function dynamoDb(model: ServiceModel, forward: ForwardTo): EdgeService {
  const names = tableNames(model);
  assertPlainIndexes(model);

  return {
    streams: false,
    throttled: { code: 'ThrottlingException', status: 400 },
    broken: { code: 'InternalServerError', status: 500 },
    operation: (request) => targetOf(request, 'DynamoDB_20120810.'),
    refusal: jsonRefusal('com.amazonaws.dynamodb.v20120810#'),

    needs: ({ operation, input }) => {
      const needsOf = NEEDS[operation];
      if (needsOf === undefined) throw unknownOperation('dynamodb', operation);
      return needsOf(input, names);
    },

    perform: async (call) => {
      const answer = await forward(call.request, withCapacity(call));
      return answer.status === 200
        ? { ...answer, usage: usageOf(call.operation, answer) }
        : { ...answer, error: errorOf(answer) };
    },
  };
}

/** dynoxide 1.2.1 takes such an index and then reads only its first partition key; better not to start. */
function assertPlainIndexes({ tables }: ServiceModel): void {
  for (const { IndexName, KeySchema } of tables.flatMap(({ definition }) =>
    listOf(definition.GlobalSecondaryIndexes).map(objectOf),
  )) {
    if (listOf(KeySchema).length > 2) {
      throw new Error(`the local DynamoDB engine has no indexes of several key attributes: ${IndexName}`);
    }
  }
}

/** The body with `ReturnConsumedCapacity` put in front, without building the rest anew. */
function withCapacity({ operation, input, body }: EdgeCall): Buffer {
  if (!MEASURED.includes(operation) || 'ReturnConsumedCapacity' in input) return body;
  return Buffer.concat([
    Buffer.from('{"ReturnConsumedCapacity":"TOTAL",'),
    body.subarray(body.indexOf('{') + 1),
  ]);
}

/** `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException` without its namespace. */
function errorOf({ body }: Answer): string {
  return /"__type":"[^"#]*#?(\w+)"/.exec(String(body))?.[1] ?? 'UnknownError';
}

function usageOf(operation: string, { body }: Answer): Usage {
  if (!MEASURED.includes(operation) || !Buffer.isBuffer(body)) return {};
  const output = objectOf(JSON.parse(body.toString()));
  const units = [output.ConsumedCapacity]
    .flat()
    .reduce<number>((sum, capacity) => sum + numberOf(objectOf(capacity).CapacityUnits), 0);
  return READS.includes(operation)
    ? { readUnits: units, itemsRead: itemsRead(output) }
    : { writeUnits: units };
}

function itemsRead({ ScannedCount, Item, Responses }: Json): number {
  if (ScannedCount !== undefined) return numberOf(ScannedCount);
  if (Item !== undefined) return 1;
  return Array.isArray(Responses)
    ? Responses.filter((response) => 'Item' in objectOf(response)).length
    : Object.values(objectOf(Responses)).reduce<number>((sum, items) => sum + listOf(items).length, 0);
}
