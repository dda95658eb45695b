import * as v from 'valibot';
import type { BucketModel, QueueModel, TableModel } from '../service-model.ts';
import { arnOf, Count, resourcesOf, type Stack } from './stack.ts';

const Index = v.object({ IndexName: v.string(), KeySchema: v.array(v.unknown()), Projection: v.unknown() });

const Table = v.object({
  AttributeDefinitions: v.array(v.unknown()),
  KeySchema: v.array(v.unknown()),
  GlobalSecondaryIndexes: v.optional(v.array(Index)),
  LocalSecondaryIndexes: v.optional(v.array(Index)),
  StreamSpecification: v.optional(v.record(v.string(), v.unknown())),
  TimeToLiveSpecification: v.optional(v.object({ AttributeName: v.string(), Enabled: v.boolean() })),
});

/** The tables, as the CreateTable calls that make them. On demand, whatever the template pays for. */
export function readTables(stack: Stack): TableModel[] {
  const types = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'];
  return resourcesOf(stack, types, Table).map(({ logicalId, properties }) => {
    const { TimeToLiveSpecification, StreamSpecification, ...shape } = properties;
    const stream = StreamSpecification && {
      StreamSpecification: { ...StreamSpecification, StreamEnabled: true },
    };
    const name = stack.scope.ref(logicalId);
    return {
      logicalId,
      name,
      arn: arnOf(stack, logicalId),
      definition: { TableName: name, BillingMode: 'PAY_PER_REQUEST', ...shape, ...stream },
      ttlAttribute: TimeToLiveSpecification?.Enabled ? TimeToLiveSpecification.AttributeName : undefined,
    };
  });
}

const Bucket = v.object({
  CorsConfiguration: v.optional(v.object({ CorsRules: v.array(v.record(v.string(), v.unknown())) })),
});

/** The buckets. */
export function readBuckets(stack: Stack): BucketModel[] {
  return resourcesOf(stack, ['AWS::S3::Bucket'], Bucket).map(({ logicalId, properties }) => ({
    logicalId,
    name: stack.scope.ref(logicalId),
    arn: arnOf(stack, logicalId),
    corsRules: properties.CorsConfiguration?.CorsRules ?? [],
  }));
}

const Queue = v.object({
  FifoQueue: v.optional(v.literal(false)),
  VisibilityTimeout: v.optional(Count, 30),
  MessageRetentionPeriod: v.optional(Count, 345_600),
  RedrivePolicy: v.optional(v.object({ deadLetterTargetArn: v.string(), maxReceiveCount: Count })),
});

/** The queues. */
export function readQueues(stack: Stack): QueueModel[] {
  return resourcesOf(stack, ['AWS::SQS::Queue'], Queue).map(({ logicalId, properties }) => ({
    logicalId,
    name: stack.scope.attribute(logicalId, 'QueueName'),
    arn: arnOf(stack, logicalId),
    url: stack.scope.ref(logicalId),
    visibilityTimeoutSeconds: properties.VisibilityTimeout,
    retentionSeconds: properties.MessageRetentionPeriod,
    deadLetter: properties.RedrivePolicy && {
      arn: properties.RedrivePolicy.deadLetterTargetArn,
      maxReceiveCount: properties.RedrivePolicy.maxReceiveCount,
    },
  }));
}
