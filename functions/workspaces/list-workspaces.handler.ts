import { apiKeyStore } from '../access/api-key-store.ts';
import { readEndpoint } from '../access/endpoint.ts';
import { dynamoClient } from '../shared/aws-clients.ts';
import { TableEnv } from '../shared/env.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { listWorkspaces, listWorkspacesOperation } from './list-workspaces.ts';
import { workspaceStore } from './workspace-store.ts';

const env = readEnv(TableEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const workspaces = workspaceStore(table);
const clock = Date.now;

export const handler = readEndpoint(listWorkspacesOperation, { apiKeys: apiKeyStore(table), clock }, (call) =>
  listWorkspaces(call, { workspaces, clock }),
);
