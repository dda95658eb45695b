import { apiKeyStore } from '../access/api-key-store.ts';
import { readEndpoint } from '../access/endpoint.ts';
import { dynamoClient, s3Client } from '../shared/aws-clients.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { createUploadUrl, createUploadUrlOperation } from './create-upload-url.ts';
import { UploadUrlEnv } from './env.ts';
import { mediaObjectStore } from './media-object-store.ts';
import { newUploadId } from './new-upload-id.ts';

const env = readEnv(UploadUrlEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const needs = {
  table,
  apiKeys: apiKeyStore(table),
  objects: mediaObjectStore(s3Client(), env.MEDIA_BUCKET),
  clock: Date.now,
  newUploadId,
};

export const handler = readEndpoint(createUploadUrlOperation, needs, (call) => createUploadUrl(call, needs));
