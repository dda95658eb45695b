import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { FunctionSettings } from '../constructs/service-function.ts';

/** The sweeper looks once a minute, so a row it drives on is never overdue for long; see `sweep`. */
const OVERDUE_MS = Duration.minutes(5).toMilliseconds();

/** The goal is one second; this is where a client that counts on its time would complain. */
const LATE_MS = Duration.seconds(10).toMilliseconds();

/** Alarms on what clients of publishing count on: that nothing is stuck, and that posts go out on time. */
export function watchPublishing(scope: Construct, { alarms, metricsNamespace }: FunctionSettings): void {
  // The names and dimensions are those the functions' metrics are published with.
  const metric = (metricName: string, service: string, statistic: string) =>
    new Metric({
      namespace: metricsNamespace,
      metricName,
      dimensionsMap: { service },
      statistic,
      period: Duration.minutes(5),
    });
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
}
