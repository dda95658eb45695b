import { apiKeyStore } from '../access/api-key-store.ts';
import { readEndpoint } from '../access/endpoint.ts';
import { dynamoClient } from '../shared/aws-clients.ts';
import { TableEnv } from '../shared/env.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { channelStore } from './channel-store.ts';
import { listChannels, listChannelsOperation } from './list-channels.ts';

const env = readEnv(TableEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const channels = channelStore(table);

export const handler = readEndpoint(
  listChannelsOperation,
  { apiKeys: apiKeyStore(table), clock: Date.now },
  (call) => listChannels(call, { channels }),
);
