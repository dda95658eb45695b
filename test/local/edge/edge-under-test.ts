import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Edge, type EdgeOptions, startEdge } from '../../../local/edge/start-edge.ts';
import { edgeModel } from './edge-model.ts';

/** A fresh directory for a test's state, and how to remove it. */
export function stateDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'edge-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** An edge with no DynamoDB behind it, unless one is given. */
export function testEdge(options: Partial<EdgeOptions> & { readonly stateDirectory: string }): Promise<Edge> {
  return startEdge({ model: edgeModel(), dynamoEndpoint: 'http://127.0.0.1:1', ...options });
}

/** AWS clients that call the edge as one principal, without retries. */
export function clients(edge: Edge, principal: string) {
  const config = {
    endpoint: edge.endpoint,
    region: 'eu-west-1',
    credentials: edge.credentialsFor(principal),
    maxAttempts: 1,
  };
  return {
    dynamo: new DynamoDBClient(config),
    sqs: new SQSClient(config),
    scheduler: new SchedulerClient(config),
    kms: new KMSClient(config),
    s3: new S3Client({ ...config, forcePathStyle: true }),
  };
}

/** Creates the model's table through the edge. */
export async function createTable(edge: Edge): Promise<void> {
  const [table] = edgeModel().tables;
  const input = table?.definition as unknown as ConstructorParameters<typeof CreateTableCommand>[0];
  await clients(edge, 'operator').dynamo.send(new CreateTableCommand(input));
}
