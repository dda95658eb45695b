import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Clients are made once per function, at its cold start. Three tries with the SDK's full jitter and a
 * short limit for one call, so that a hanging connection never eats the 30 s of a request; a stream of
 * media has no such limit, since its length is not ours to choose.
 */
const timeouts = (requestTimeoutMs: number) => ({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true },
});

export const dynamoClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(timeouts(2000)), {
    marshallOptions: { removeUndefinedValues: true },
  });

export const sqsClient = (): SQSClient => new SQSClient(timeouts(5000));

export const schedulerClient = (): SchedulerClient => new SchedulerClient(timeouts(5000));

export const kmsClient = (): KMSClient => new KMSClient(timeouts(5000));

/** Path style keeps one host for all buckets, as the local service has no wildcard DNS. */
export const s3Client = (): S3Client =>
  new S3Client({ maxAttempts: 3, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
