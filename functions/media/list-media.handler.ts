import { apiKeyStore } from '../access/api-key-store.ts';
import { readEndpoint } from '../access/endpoint.ts';
import { dynamoClient } from '../shared/aws-clients.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { ReadMediaEnv } from './env.ts';
import { listMedia, listMediaOperation } from './list-media.ts';
import { mediaStore } from './media-store.ts';

const env = readEnv(ReadMediaEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const needs = { media: mediaStore(table), clock: Date.now, mediaUrl: env.MEDIA_URL };

export const handler = readEndpoint(
  listMediaOperation,
  { apiKeys: apiKeyStore(table), clock: Date.now },
  (call) => listMedia(call, needs),
);
