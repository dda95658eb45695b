import { Stack } from 'aws-cdk-lib';
import { Alarm, type ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The headings of docs/runbook.md that alarms point to. */
export type RunbookEntry =
  | 'function-errors'
  | 'dead-letters'
  | 'a-queue-is-behind'
  | 'the-sweeper-does-not-run'
  | 'posts-are-overdue'
  | 'posts-go-out-late'
  | 'publishing-breaks-off'
  | 'nobody-knows-whether-a-post-is-out'
  | 'platforms-refuse-posts';

/** An alarm in the terms of the person it wakes. */
export interface AlarmProps {
  readonly metric: IMetric;
  /** What clients notice while this lasts; the text of the alarm. */
  readonly impact: string;
  readonly runbook: RunbookEntry;
  readonly threshold: number;
  readonly comparison: ComparisonOperator;
  /** How many of the metric's periods in a row must be over the threshold. @default 1 */
  readonly periods?: number;
  /** @default no data means all is well */
  readonly missingData?: TreatMissingData;
}

/** The alarms of a service, all of which tell one topic; people subscribe to it by hand. */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    // A topic policy of our own replaces the default one, which is what lets CloudWatch publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }

  /** Adds an alarm; it belongs to `scope`, the construct it watches. */
  add(scope: Construct, id: string, props: AlarmProps): void {
    new Alarm(scope, id, {
      metric: props.metric,
      threshold: props.threshold,
      comparisonOperator: props.comparison,
      evaluationPeriods: props.periods ?? 1,
      treatMissingData: props.missingData ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: `${props.impact} What to do: docs/runbook.md#${props.runbook}`,
    }).addAlarmAction(new SnsAction(this.topic));
  }
}
