import { apiKeyStore } from '../access/api-key-store.ts';
import { readEndpoint } from '../access/endpoint.ts';
import { dynamoClient } from '../shared/aws-clients.ts';
import { TableEnv } from '../shared/env.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { listAttempts, listAttemptsOperation } from './list-attempts.ts';

const env = readEnv(TableEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);

export const handler = readEndpoint(
  listAttemptsOperation,
  { apiKeys: apiKeyStore(table), clock: Date.now },
  (call) => listAttempts(call, { table }),
);
