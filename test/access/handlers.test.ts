import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it, vi } from 'vitest';
import { newApiKey } from '../../functions/access/api-key.ts';
import { logger } from '../../functions/shared/telemetry.ts';
import { answerOf } from '../http-event.ts';

vi.spyOn(logger, 'info').mockReturnValue();
vi.stubEnv('SERVICE_TABLE', 'TheTable');
vi.stubEnv('AWS_REGION', 'eu-central-1');
const dynamo = mockClient(DynamoDBDocumentClient);

/** What authentication gets back for a key of workspace `ws-1`. */
const keyRow = {
  lookup: '',
  workspace_id: 'ws-1',
  secret_hash: '',
  scopes: [],
  rate_limit: 5,
  cursor_key: '',
  used: {},
};
const authorization = `Bearer ${newApiKey().apiKey}`;

it.each([
  [
    'list-workspaces',
    () => import('../../functions/workspaces/list-workspaces.handler.ts'),
    '"sk":"WORKSPACE"',
  ],
  ['list-channels', () => import('../../functions/channels/list-channels.handler.ts'), 'CHANNEL#'],
])(
  '%s is wired: it asks for a key, needs no scope, and reads the rows of the key’s workspace',
  async (_, load, sk) => {
    dynamo.reset();
    dynamo.onAnyCommand().resolves({});
    dynamo.on(UpdateCommand).resolves({ Attributes: keyRow });
    const { handler } = await load();

    const refused = await answerOf(handler, {});
    const answer = await answerOf(handler, { headers: { authorization } });

    expect(refused.status).toBe(401);
    expect(answer).toMatchObject({ status: 200, json: { data: [] }, headers: { 'ratelimit-limit': '5' } });
    const read = JSON.stringify(dynamo.calls().at(-1)?.args[0].input);
    expect(read).toContain('"WS#ws-1"');
    expect(read).toContain(sk);
  },
);
