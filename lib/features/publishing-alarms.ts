import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { StepResult } from '../../functions/publishing/stages.ts';
import type { FunctionSettings } from '../constructs/service-function.ts';

/** The sweeper looks once a minute, so a row it drives on is never overdue for long; see `sweep`. */
const OVERDUE_MS = Duration.minutes(5).toMilliseconds();

/** The goal is one second; this is where a client that counts on its time would complain. */
const LATE_MS = Duration.seconds(10).toMilliseconds();

/** Steps that break off within five minutes before a person is asked; single ones are taken up again and mend themselves. */
const BROKEN_STEPS = 10;

/** Of at least so many targets that ended, more than this share refused: it is not their content. */
const LEAST_ENDED = 20;
const REFUSED_PERCENT = 50;

/** Alarms on what clients of publishing count on: that nothing is stuck, and that posts go out on time. */
export function watchPublishing(scope: Construct, { alarms, metricsNamespace }: FunctionSettings): void {
  // The names and dimensions are those the functions' metrics are published with.
  const metric = (metricName: string, service: string, statistic: string, result?: StepResult) =>
    new Metric({
      namespace: metricsNamespace,
      metricName,
      dimensionsMap: { service, ...(result && { result }) },
      statistic,
      period: Duration.minutes(5),
    });
  const attempts = (result: StepResult) =>
    metric('PublishAttempts', 'publishing/publish-target', 'Sum', result);
  alarms?.add(scope, 'Overdue', {
    metric: metric('OldestOverduePost', 'publishing/sweep', 'Maximum'),
    threshold: OVERDUE_MS,
    comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
    periods: 2,
    impact: `A post has been waiting for its next step for over ${OVERDUE_MS / 60_000} minutes.`,
    runbook: 'posts-are-overdue',
  });
  alarms?.add(scope, 'Late', {
    metric: metric('PublishLateness', 'publishing/publish-target', 'p99'),
    threshold: LATE_MS,
    comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
    periods: 3,
    impact: `One post in a hundred goes out over ${LATE_MS / 1000} seconds late.`,
    runbook: 'posts-go-out-late',
  });
  alarms?.add(scope, 'Broken', {
    metric: attempts('interrupted'),
    threshold: BROKEN_STEPS,
    comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
    impact: 'Publishing breaks off again and again: posts go out late, and fail after some time.',
    runbook: 'publishing-breaks-off',
  });
  alarms?.add(scope, 'Unknown', {
    metric: attempts('unknown'),
    threshold: 1,
    comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    impact: 'A post was given up without our knowing whether it is out; its owner is asked to look.',
    runbook: 'nobody-knows-whether-a-post-is-out',
  });
  alarms?.add(scope, 'Refused', {
    metric: new MathExpression({
      expression: `IF(refused + posted >= ${LEAST_ENDED}, 100 * refused / (refused + posted), 0)`,
      usingMetrics: { refused: attempts('refused'), posted: attempts('posted') },
      label: 'refused posts in percent',
      period: Duration.minutes(5),
    }),
    threshold: REFUSED_PERCENT,
    comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
    periods: 2,
    impact: `More than ${REFUSED_PERCENT} of 100 posts fail for good.`,
    runbook: 'platforms-refuse-posts',
  });
}
