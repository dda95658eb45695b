import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import type { FetchMessage, ProcessMessage } from '../media/media-messages.ts';
import type { DueMessage } from '../posts/due.ts';
import { dynamoClient, sqsClient } from '../shared/aws-clients.ts';
import { SECOND_MS } from '../shared/clock.ts';
import { sqsQueue } from '../shared/queues/queue.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { logger, metrics } from '../shared/telemetry.ts';
import { SweepEnv } from './env.ts';
import { sweep } from './sweep.ts';
import type { PublishMessage } from './target.ts';

const env = readEnv(SweepEnv);
const sqs = sqsClient();
const needs = {
  table: dynamoTable(dynamoClient(), env.SERVICE_TABLE),
  dueQueue: sqsQueue<DueMessage>(sqs, env.DUE_QUEUE_URL),
  publishQueue: sqsQueue<PublishMessage>(sqs, env.PUBLISH_QUEUE_URL),
  fetchQueue: sqsQueue<FetchMessage>(sqs, env.FETCH_QUEUE_URL),
  processQueue: sqsQueue<ProcessMessage>(sqs, env.PROCESS_QUEUE_URL),
  clock: Date.now,
};

/** Time kept at the end of a run to finish the rows it has taken. */
const SPARE_MS = 10 * SECOND_MS;

/** Runs every minute; what it does twice is harmless, see `sweep`. */
export async function handler(_: unknown, context: Context): Promise<void> {
  const swept = await sweep(Date.now() + context.getRemainingTimeInMillis() - SPARE_MS, needs);
  metrics.addMetric('OldestOverduePost', MetricUnit.Milliseconds, swept.oldestOverdueMs);
  metrics.addMetric('RowsDrivenOn', MetricUnit.Count, swept.driven);
  metrics.publishStoredMetrics();
  logger.info('swept', { driven: swept.driven, oldest_overdue_ms: swept.oldestOverdueMs });
  if (swept.errors.length > 0) {
    throw new AggregateError(swept.errors, `${swept.errors.length} rows could not be driven on`);
  }
}
