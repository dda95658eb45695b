import { Duration, Validations } from 'aws-cdk-lib';
import { ComparisonOperator } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import type { Permission } from './permission.ts';
import type { ServiceFunction } from './service-function.ts';

interface WorkQueueProps {
  /** The timeout of the function that works on this queue; the queue's own times follow from it. */
  readonly workTimeout: Duration;
  /** What clients notice when messages are late or set aside; the text of its alarms. */
  readonly impact: string;
  /** @default no alarms */
  readonly alarms?: Alarms | undefined;
}

interface ConsumerProps {
  /** How many messages one invocation takes. */
  readonly batchSize: number;
  /** How many invocations run at once, 2 to 1000. */
  readonly maxConcurrency: number;
}

/** AWS's own figure for a queue that feeds a function (Lambda developer guide, "Using Lambda with Amazon SQS"). */
const VISIBILITY_PER_TIMEOUT = 6;
const MAX_RECEIVE_COUNT = 5;
/** The longest delay of a message, 15 minutes, and five more: only then is a waiting message late. */
const LATE_AFTER = Duration.minutes(20);

/** A standard queue that feeds one function, with a dead-letter queue for what cannot be handled. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  private readonly workTimeout: Duration;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    this.workTimeout = props.workTimeout;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // A message keeps the age it had in the queue before, which holds it for 4 days.
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.deadLetters).acknowledge({
      id: 'Serverless-SQSRedrivePolicy',
      reason: 'This is the dead-letter queue itself; an alarm watches it and the operator empties it.',
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(VISIBILITY_PER_TIMEOUT * props.workTimeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
    this.watch(props);
  }

  /** Permission to put messages into this queue. */
  send(): Permission {
    return {
      statement: new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.queue.queueArn] }),
    };
  }

  /**
   * Has the function work on this queue, and permits it to.
   *
   * @throws {Error} when the function may run for longer than the queue was told.
   */
  feed(worker: ServiceFunction, props: ConsumerProps): void {
    if (worker.timeout.toSeconds() > this.workTimeout.toSeconds()) {
      throw new Error(
        `${worker.node.path} may run ${worker.timeout.toSeconds()} s, but its queue counts on ${this.workTimeout.toSeconds()} s`,
      );
    }
    worker.lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        resources: [this.queue.queueArn],
      }),
    );
    const mapping = new EventSourceMapping(this, 'Consumer', {
      target: worker.lambda,
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize,
      maxConcurrency: props.maxConcurrency,
      reportBatchItemFailures: true,
    });
    Validations.of(mapping).acknowledge({
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason: 'Failure destinations exist for streams; a queue has its dead-letter queue instead.',
    });
  }

  private watch({ alarms, impact }: WorkQueueProps): void {
    alarms?.add(this.deadLetters, 'Depth', {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      threshold: 1,
      comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      impact: `Messages were set aside after ${MAX_RECEIVE_COUNT} failures: ${impact}`,
      runbook: 'dead-letters',
    });
    alarms?.add(this.queue, 'Age', {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      threshold: LATE_AFTER.toSeconds(),
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      periods: 3,
      impact: `The oldest message has waited for over ${LATE_AFTER.toMinutes()} minutes: ${impact}`,
      runbook: 'a-queue-is-behind',
    });
  }
}
