import { dynamoClient, s3Client, sqsClient } from '../shared/aws-clients.ts';
import { guardedDownload } from '../shared/outbound/guarded-download.ts';
import { sqsQueue } from '../shared/queues/queue.ts';
import { worker } from '../shared/queues/worker.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { discardUpload } from './discard-upload.ts';
import { FetchMediaEnv } from './env.ts';
import { fetchMedia } from './fetch-media.ts';
import { FetchMessage, type ProcessMessage } from './media-messages.ts';
import { mediaObjectStore } from './media-object-store.ts';
import { mediaWork } from './media-work.ts';

const env = readEnv(FetchMediaEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const needs = {
  table,
  work: mediaWork(table),
  objects: mediaObjectStore(s3Client(), env.MEDIA_BUCKET),
  processQueue: sqsQueue<ProcessMessage>(sqsClient(), env.PROCESS_QUEUE_URL),
  getUrl: guardedDownload,
  ownHosts: [new URL(env.MEDIA_URL).hostname],
  clock: Date.now,
};

export const handler = worker(FetchMessage, (message) =>
  'upload_id' in message ? discardUpload(message, needs) : fetchMedia(message, needs),
);
