import { setTimeout as sleep } from 'node:timers/promises';
import { DueMessage } from '../posts/due.ts';
import { postStore } from '../posts/post-store.ts';
import { dynamoClient, sqsClient } from '../shared/aws-clients.ts';
import { sqsQueue } from '../shared/queues/queue.ts';
import { worker } from '../shared/queues/worker.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { StartPostEnv } from './env.ts';
import { startPost } from './start-post.ts';
import type { PublishMessage } from './target.ts';

const env = readEnv(StartPostEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const sqs = sqsClient();
const needs = {
  table,
  posts: postStore(table),
  dueQueue: sqsQueue<DueMessage>(sqs, env.DUE_QUEUE_URL),
  publishQueue: sqsQueue<PublishMessage>(sqs, env.PUBLISH_QUEUE_URL),
  clock: Date.now,
  sleep: (ms: number) => sleep(ms),
};

export const handler = worker(DueMessage, (message) => startPost(message, needs));
