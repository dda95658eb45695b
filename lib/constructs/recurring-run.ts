import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { Alarms, RunbookEntry } from './alarms.ts';
import { schedulerOf } from './one-time-schedules.ts';
import type { ServiceFunction } from './service-function.ts';

interface RecurringRunProps {
  readonly run: ServiceFunction;
  /** What clients notice when it does not run; the text of its alarm. */
  readonly impact: string;
  readonly runbook: RunbookEntry;
  /** @default no alarm */
  readonly alarms?: Alarms | undefined;
}

/** Runs a function once a minute. A run that fails is not repeated: the next one is due within the minute. */
export class RecurringRun extends Construct {
  constructor(scope: Construct, id: string, props: RecurringRunProps) {
    super(scope, id);
    const { lambda } = props.run;
    const group = Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule-group',
      resourceName: 'default',
    });
    const role = new Role(this, 'Role', { assumedBy: schedulerOf(this, group) });
    role.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] }),
    );
    new CfnSchedule(this, 'Schedule', {
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: lambda.functionArn,
        roleArn: role.roleArn,
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
      },
    });
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    Validations.of(lambda).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason:
        'A failed run needs no one to repeat it: the next comes within the minute and does the same work.',
    });
    props.alarms?.add(this, 'Missing', {
      metric: lambda.metricInvocations({ period: Duration.minutes(5) }),
      threshold: 1,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      missingData: TreatMissingData.BREACHING,
      impact: props.impact,
      runbook: props.runbook,
    });
  }
}
