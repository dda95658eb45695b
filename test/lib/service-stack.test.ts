import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { idIn, nameOf, ofType, type Resource, resourcesOf, withId } from './synthesized.ts';

const production = resourcesOf('production');
const dev = resourcesOf('dev');
const stages: readonly (readonly [string, readonly Resource[]])[] = [
  ['production', production],
  ['dev', dev],
];

const functions = ofType(production, 'AWS::Lambda::Function');
const queues = ofType(production, 'AWS::SQS::Queue');
const consumers = ofType(production, 'AWS::Lambda::EventSourceMapping');

describe('functions', () => {
  it.each(functions.map((lambda) => [lambda.Properties.Description, lambda] as const))(
    '%s runs on arm64 and Node 24, traced, with its own log that ends',
    (_, { Properties }) => {
      const log = withId(production, idIn(Properties.LoggingConfig.LogGroup));

      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        TracingConfig: { Mode: 'Active' },
      });
      expect(log.Properties.RetentionInDays).toBeLessThanOrEqual(90);
    },
  );

  it('share no role', () => {
    const roles = functions.map(({ Properties }) => idIn(Properties.Role));

    expect(new Set(roles).size).toBe(functions.length);
  });

  it('never send to loopback addresses when deployed', () => {
    for (const [, resources] of stages) {
      for (const { Properties } of ofType(resources, 'AWS::Lambda::Function')) {
        expect(Properties.Environment.Variables).not.toHaveProperty('LOOPBACK_WEBHOOKS');
      }
    }
  });
});

describe('queues', () => {
  it('hide a message for six timeouts of the function that works on it', () => {
    for (const { Properties } of consumers) {
      const queue = withId(production, idIn(Properties.EventSourceArn));
      const lambda = withId(production, idIn(Properties.FunctionName));

      expect(queue.Properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * lambda.Properties.Timeout);
    }
  });

  it('set aside what cannot be handled, where it is kept for longer than it could wait', () => {
    const workQueues = consumers.map(({ Properties }) => withId(production, idIn(Properties.EventSourceArn)));
    const deadLetters = workQueues.map(({ Properties }) => {
      const { deadLetterTargetArn, maxReceiveCount } = Properties.RedrivePolicy;
      const aside = withId(production, idIn(deadLetterTargetArn));
      expect(maxReceiveCount).toBeGreaterThanOrEqual(3);
      expect(aside.Properties.MessageRetentionPeriod).toBeGreaterThan(Properties.MessageRetentionPeriod);
      return aside;
    });

    expect([...workQueues, ...deadLetters].map(({ id }) => id).toSorted()).toEqual(
      queues.map(({ id }) => id).toSorted(),
    );
  });

  it('hear of each message of a batch by itself, and feed a bounded number of functions', () => {
    for (const { Properties } of consumers) {
      expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      expect(Properties.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('data', () => {
  /** A changed id makes CloudFormation replace the resource: its data would be left behind. */
  const KEPT = {
    'AWS::DynamoDB::GlobalTable': 'Table710B521B',
    'AWS::S3::Bucket': 'MediaBucket4022EBBF',
    'AWS::KMS::Key': 'ChannelsCredentialsKey86B13A93',
  };

  it.each(stages)('keeps its ids in %s', (_, resources) => {
    for (const [type, id] of Object.entries(KEPT)) {
      expect(ofType(resources, type).map((resource) => resource.id)).toEqual([id]);
    }
  });

  it.each([
    ['production', production, 'Retain'],
    ['dev', dev, 'Delete'],
  ] as const)('of %s: when the stack goes, %s', (_, resources, policy) => {
    for (const id of Object.values(KEPT)) {
      const { DeletionPolicy, UpdateReplacePolicy } = withId(resources, id);
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual([policy, policy]);
    }
  });

  it('is restorable everywhere, and protected from deletion in production', () => {
    const [replica] = withId(production, KEPT['AWS::DynamoDB::GlobalTable']).Properties.Replicas;
    const [devReplica] = withId(dev, KEPT['AWS::DynamoDB::GlobalTable']).Properties.Replicas;

    expect(replica).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
    });
    expect(devReplica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
  });

  it('expires by the attribute rows carry, and is found by the keys of its indexes', () => {
    const { Properties } = withId(production, KEPT['AWS::DynamoDB::GlobalTable']);
    const shapes = Properties.GlobalSecondaryIndexes.map(
      (index: {
        IndexName: string;
        KeySchema: { AttributeName: string; KeyType: string }[];
        Projection: { ProjectionType: string };
      }) => [
        index.IndexName,
        [
          ...index.KeySchema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`),
          index.Projection.ProjectionType,
        ],
      ],
    );

    expect(Properties.BillingMode).toBe('PAY_PER_REQUEST');
    expect(Properties.TimeToLiveSpecification).toEqual({
      AttributeName: 'expires_at_seconds',
      Enabled: true,
    });
    expect(Object.fromEntries(shapes)).toEqual({
      posts_by_status: ['HASH posts_in_status', 'RANGE sk', 'KEYS_ONLY'],
      targets_by_channel: ['HASH targets_of_channel', 'RANGE sk', 'KEYS_ONLY'],
      targets_by_channel_and_status: ['HASH targets_in_status', 'RANGE sk', 'KEYS_ONLY'],
      scheduled: ['HASH scheduled_in', 'RANGE sk', 'KEYS_ONLY'],
      media_by_kind: ['HASH media_of_kind', 'RANGE sk', 'ALL'],
      due: ['HASH due_shard', 'RANGE wake_at', 'KEYS_ONLY'],
    });
  });

  it('in the media bucket is never public, and an upload nobody registers is gone in a day', () => {
    const { Properties } = withId(production, KEPT['AWS::S3::Bucket']);

    expect(Properties.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(Properties.LifecycleConfiguration.Rules).toMatchObject([
      { Prefix: 'incoming/', ExpirationInDays: 1, Status: 'Enabled' },
      { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
    ]);
  });
});

describe('alarms', () => {
  const alarms = ofType(production, 'AWS::CloudWatch::Alarm');
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  const anchors = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );

  it('each say what clients notice and where it is written what to do', () => {
    for (const { Properties } of alarms) {
      const [, impact, anchor] =
        /^(.{20,}) What to do: docs\/runbook\.md#([a-z-]+)$/.exec(Properties.AlarmDescription) ?? [];
      expect(impact).toMatch(/\.$/);
      expect(anchors).toContain(anchor);
    }
  });

  it('each tell someone', () => {
    const [topic] = ofType(production, 'AWS::SNS::Topic');

    for (const { Properties } of alarms) expect(Properties.AlarmActions).toEqual([{ Ref: topic?.id }]);
  });

  it('watch the errors of every function, and depth and age of every queue', () => {
    const watched = (metric: string, dimension: string) =>
      alarms
        .filter(({ Properties }) => Properties.MetricName === metric)
        .flatMap(({ Properties }) => Properties.Dimensions)
        .filter(({ Name }: { Name: string }) => Name === dimension)
        .map(({ Value }: { Value: unknown }) => nameOf(idIn(Value)))
        .toSorted();
    const names = (resources: readonly Resource[]) => resources.map(({ id }) => nameOf(id)).toSorted();
    const isAside = ({ id }: Resource) => /DeadLetters/.test(id);

    expect(watched('Errors', 'FunctionName')).toEqual(names(functions));
    expect(watched('ApproximateNumberOfMessagesVisible', 'QueueName')).toEqual(names(queues.filter(isAside)));
    expect(watched('ApproximateAgeOfOldestMessage', 'QueueName')).toEqual(
      names(queues.filter((queue) => !isAside(queue))),
    );
  });

  it('are a matter of production: an idle dev stage pays for none', () => {
    expect(ofType(dev, 'AWS::CloudWatch::Alarm')).toEqual([]);
  });
});
