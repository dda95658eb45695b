import { apiKeyStore } from '../access/api-key-store.ts';
import { writeEndpoint } from '../access/endpoint.ts';
import { dynamoClient, s3Client, sqsClient } from '../shared/aws-clients.ts';
import { newId } from '../shared/ids.ts';
import { guardedDownload } from '../shared/outbound/guarded-download.ts';
import { sqsQueue } from '../shared/queues/queue.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { createMedia, createMediaOperation } from './create-media.ts';
import { CreateMediaEnv } from './env.ts';
import { formBody } from './form-body.ts';
import type { FetchMessage, ProcessMessage } from './media-messages.ts';
import { mediaObjectStore } from './media-object-store.ts';
import { newUploadId } from './new-upload-id.ts';

const env = readEnv(CreateMediaEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const sqs = sqsClient();
const needs = {
  table,
  apiKeys: apiKeyStore(table),
  objects: mediaObjectStore(s3Client(), env.MEDIA_BUCKET),
  fetchQueue: sqsQueue<FetchMessage>(sqs, env.FETCH_QUEUE_URL),
  processQueue: sqsQueue<ProcessMessage>(sqs, env.PROCESS_QUEUE_URL),
  getUrl: guardedDownload,
  ownHosts: [new URL(env.MEDIA_URL).hostname],
  clock: Date.now,
  newId,
  newUploadId,
  mediaUrl: env.MEDIA_URL,
};

export const handler = writeEndpoint(
  createMediaOperation,
  needs,
  (call) => createMedia(call, needs),
  formBody,
);
