import { apiKeyStore } from '../access/api-key-store.ts';
import { readEndpoint } from '../access/endpoint.ts';
import { dynamoClient } from '../shared/aws-clients.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { ReadPostsEnv } from './env.ts';
import { getPost, getPostOperation } from './get-post.ts';
import { postStore } from './post-store.ts';

const env = readEnv(ReadPostsEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const needs = { posts: postStore(table), reviewUrl: env.REVIEW_URL };

export const handler = readEndpoint(
  getPostOperation,
  { apiKeys: apiKeyStore(table), clock: Date.now },
  (call) => getPost(call, needs),
);
