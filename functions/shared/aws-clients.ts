import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Which AWS a client speaks to. @default that of the function's environment */
export interface AwsAccount {
  readonly region?: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * Clients are made once per function, at its cold start. Three tries with the SDK's full jitter and a
 * short limit for one call, so that a hanging connection never eats the 30 s of a request; a stream of
 * media has no such limit, since its length is not ours to choose.
 */
const timeouts = (requestTimeoutMs: number) => ({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true },
});

export const dynamoClient = (account: AwsAccount = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ ...timeouts(2000), ...account }), {
    marshallOptions: { removeUndefinedValues: true },
  });

export const sqsClient = (account: AwsAccount = {}): SQSClient =>
  new SQSClient({ ...timeouts(5000), ...account });

export const schedulerClient = (): SchedulerClient => new SchedulerClient(timeouts(5000));

export const kmsClient = (account: AwsAccount = {}): KMSClient =>
  new KMSClient({ ...timeouts(5000), ...account });

/** Path style keeps one host for all buckets, as the local service has no wildcard DNS. */
export const s3Client = (): S3Client =>
  new S3Client({ maxAttempts: 3, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });

/**
 * Amazon Bedrock in the region its model is called in. Callers limit each call and decide what is repeated, since
 * an answer takes seconds and costs money. HTTP/1.1, as all other clients: by itself this one would speak HTTP/2,
 * which is for streams in both directions and which the local service does not know.
 */
export const bedrockClient = (region: string): BedrockRuntimeClient =>
  new BedrockRuntimeClient({
    region,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({ connectionTimeout: 1000 }),
  });
