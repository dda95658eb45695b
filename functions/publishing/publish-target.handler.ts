import { setTimeout as sleep } from 'node:timers/promises';
import { kmsVault } from '../channels/credential-vault.ts';
import { dynamoClient, kmsClient, sqsClient } from '../shared/aws-clients.ts';
import { newId } from '../shared/ids.ts';
import { guardedRequest } from '../shared/outbound/guarded-request.ts';
import { sqsQueue } from '../shared/queues/queue.ts';
import { worker } from '../shared/queues/worker.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { logger, metrics } from '../shared/telemetry.ts';
import { PublishTargetEnv } from './env.ts';
import { publishingEvents } from './events.ts';
import { webhookPublisher } from './platforms/webhook/webhook-publisher.ts';
import { publishTarget } from './publish-target.ts';
import { PublishMessage } from './target.ts';
import { targetStore } from './target-store.ts';

const env = readEnv(PublishTargetEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const needs = {
  table,
  targets: targetStore(table),
  vault: kmsVault(kmsClient(), env.CREDENTIALS_KEY_ARN),
  publishQueue: sqsQueue<PublishMessage>(sqsClient(), env.PUBLISH_QUEUE_URL),
  publishers: {
    custom_webhook: webhookPublisher({
      send: guardedRequest,
      newId,
      random: Math.random,
      loopback: env.LOOPBACK_WEBHOOKS,
    }),
  },
  events: publishingEvents(logger, metrics),
  clock: Date.now,
  sleep: (ms: number) => sleep(ms),
  random: Math.random,
};

export const handler = worker(PublishMessage, (message, context) =>
  publishTarget(message, Date.now() + context.getRemainingTimeInMillis(), needs),
);
