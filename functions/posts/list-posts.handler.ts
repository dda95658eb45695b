import { apiKeyStore } from '../access/api-key-store.ts';
import { readEndpoint } from '../access/endpoint.ts';
import { dynamoClient } from '../shared/aws-clients.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { ReadPostsEnv } from './env.ts';
import { listPosts, listPostsOperation } from './list-posts.ts';
import { postLists } from './post-lists.ts';

const env = readEnv(ReadPostsEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const needs = { lists: postLists(table), clock: Date.now, reviewUrl: env.REVIEW_URL };

export const handler = readEndpoint(
  listPostsOperation,
  { apiKeys: apiKeyStore(table), clock: needs.clock },
  (call) => listPosts(call, needs),
);
