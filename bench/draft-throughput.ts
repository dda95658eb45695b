import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { hashSecret, parseApiKey } from '../functions/access/api-key.ts';
import type { PostRow, TargetRow } from '../functions/posts/post.ts';
import { createEffects } from '../functions/posts/post-effects.ts';
import { dynamoClient } from '../functions/shared/aws-clients.ts';
import { idempotentRequest } from '../functions/shared/idempotency/idempotent-request.ts';
import { rememberReply } from '../functions/shared/idempotency/stored-reply.ts';
import { newId } from '../functions/shared/ids.ts';
import { keys } from '../functions/shared/table/keys.ts';
import { startDynamoDb } from '../local/dynamodb-process.ts';
import { startFunctionRuntime } from '../local/functions/runtime.ts';
import { synthesize } from '../local/synthesize.ts';
import { readServiceModel } from '../local/template.ts';
import { httpEvent } from '../test/http-event.ts';
import { newStateDirectory, startServiceProcess } from '../test/system/service-process.ts';
import {
  newWorkspace,
  operatorOf,
  type TestOperator,
  type TestWorkspace,
} from '../test/system/test-workspace.ts';

const SECONDS = 5;
/**
 * Enough for V8 to have compiled what is hot. Functions compile in each instance, of which there are as many as
 * requests at once, so that the bare calls, all in one place, are warm long before.
 */
const WARM_UP_SECONDS = 20;
const AT_ONCE = 4;
const TURNS = 2;

/**
 * How many drafts a second the service takes, and how many the bare calls of one draft make: straight to the
 * engine, and by the local AWS edge, which checks and counts every call of the service too. The service runs
 * in a process of its own, as the engine does, so that what measures is all that is in this one.
 *
 * Between the two stands the function alone, invoked with the event of a draft and calling the engine: what the
 * code that ships adds to its calls, without the gateway and the edge that stand in for AWS here.
 */
export async function draftThroughput(): Promise<Readonly<Record<string, object>>> {
  const stateDirectory = newStateDirectory();
  const engine = await startDynamoDb({ stateDirectory });
  const service = await startServiceProcess({
    stateDirectory,
    environment: { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint },
  });
  const functions = await functionsOn(engine.endpoint, stateDirectory);
  try {
    const operator = operatorOf(stateDirectory);
    const workspace = await newWorkspace(operator);
    const measured = {
      'POST /drafts': postDraft(service.file.base_url, workspace),
      'its function, straight to the engine': functions.invokeDraft(workspace),
      'its calls, by the AWS edge': bareDraft(operator, workspace, operator.documents),
      'its calls, straight to the engine': bareDraft(operator, workspace, engineClient(engine.endpoint)),
    };
    for (const once of Object.values(measured)) await perSecond(once, WARM_UP_SECONDS);
    // In turns, so that what else the machine does weighs on all.
    const best: Record<string, number> = {};
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [name, once] of Object.entries(measured)) {
        best[name] = Math.max(best[name] ?? 0, await perSecond(once, SECONDS));
      }
    }
    const ofEngine = best['its calls, straight to the engine'] ?? 0;
    const ofEdge = best['its calls, by the AWS edge'] ?? 0;
    return Object.fromEntries(
      Object.entries(best).map(([name, rate]) => [
        name,
        {
          per_second: Math.round(rate),
          'of its calls by the edge': share(rate, ofEdge),
          'of its calls to the engine': share(rate, ofEngine),
        },
      ]),
    );
  } finally {
    await functions.stop();
    await service.end('SIGTERM');
    await engine.stop();
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}

const share = (rate: number, of: number): number => Number((rate / of).toFixed(2));

/** The functions of the template with nothing between them and the engine. */
async function functionsOn(endpoint: string, stateDirectory: string) {
  const addresses = {
    region: 'us-east-1',
    accountId: '000000000000',
    awsEndpoint: endpoint,
    origin: 'http://localhost:1',
  };
  const model = readServiceModel(await synthesize(), addresses);
  const route = model.routes.find(({ path }) => path.endsWith('/drafts'));
  if (!route) throw new Error('the template has no route of drafts');
  const runtime = startFunctionRuntime({
    model,
    logDirectory: join(stateDirectory, 'logs-of-the-bench'),
    environmentOf: () => ({ AWS_ENDPOINT_URL: endpoint, ...credentialsOf('bench') }),
    onInvoke: () => {},
  });
  return {
    stop: () => runtime.stop(),
    invokeDraft: (workspace: TestWorkspace) => async () => {
      const { headers, body } = draftRequest(workspace);
      const event = httpEvent({ method: 'POST', path: '/drafts', headers, body });
      const invocation = await runtime.invoke(route.functionId, JSON.stringify(event));
      const isAccepted =
        invocation.outcome === 'answered' && JSON.parse(invocation.payload).statusCode === 202;
      if (!isAccepted) throw new Error(`a draft ended ${JSON.stringify(invocation)}`);
    },
  };
}

function draftRequest({ key, channels }: TestWorkspace) {
  return {
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ caption: 'measured', channels: [{ id: channels.custom_webhook }] }),
  };
}

function postDraft(baseUrl: string, workspace: TestWorkspace): () => Promise<void> {
  return async () => {
    const response = await fetch(`${baseUrl}/drafts`, { method: 'POST', ...draftRequest(workspace) });
    await response.arrayBuffer();
    if (response.status !== 202) throw new Error(`a draft was answered ${response.status}`);
  };
}

const credentialsOf = (name: string) => ({ AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: name });

const engineClient = (endpoint: string) =>
  dynamoClient({
    region: 'us-east-1',
    endpoint,
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });

async function perSecond(once: () => Promise<void>, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < until) {
      await once();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (done / (performance.now() - startedAt)) * 1000;
}

/** The calls of one draft and nothing else: count the request, read what is needed, commit. */
function bareDraft(
  operator: TestOperator,
  workspace: TestWorkspace,
  client: DynamoDBDocumentClient,
): () => Promise<void> {
  const TableName = operator.tableName;
  const { lookup = '', secret = '' } = parseApiKey(workspace.key) ?? {};
  return async () => {
    const nowMs = Date.now();
    const minute = String(Math.floor(nowMs / 60_000));
    await client.send(
      new UpdateCommand({
        TableName,
        Key: keys.apiKey(lookup, hashSecret(secret)),
        UpdateExpression: 'SET used.#minute = if_not_exists(used.#minute, :none) + :one',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(used.#minute) OR used.#minute < rate_limit)',
        ExpressionAttributeNames: { '#minute': minute },
        ExpressionAttributeValues: { ':none': 0, ':one': 1 },
        ReturnValues: 'ALL_NEW',
      }),
    );
    const request = idempotentRequest({
      workspaceId: workspace.id,
      key: randomUUID(),
      method: 'POST',
      path: '/drafts',
      body: {},
    });
    const channelId = workspace.channels.custom_webhook;
    const Keys = [
      keys.idempotency(workspace.id, request.hashedKey),
      keys.workspace(workspace.id),
      keys.channel(workspace.id, channelId),
    ];
    await client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }));
    const draft = draftOf(workspace.id, channelId, nowMs);
    const reply = { status: 202, body: JSON.stringify(draft) };
    const effects = createEffects(draft, { found: () => undefined, nowMs, upgradeUrl: '' });
    const writes = [...rememberReply(request, reply, nowMs), ...effects.map(({ write }) => write)];
    await client.send(
      new TransactWriteCommand({
        TransactItems: writes.map(({ Put }) => ({ Put: { Item: {}, ...Put, TableName } })),
      }),
    );
  };
}

function draftOf(
  workspaceId: string,
  channelId: string,
  nowMs: number,
): { post: PostRow; targets: TargetRow[] } {
  const now = new Date(nowMs).toISOString();
  const id = newId(nowMs);
  const post: PostRow = {
    id,
    workspace_id: workspaceId,
    status: 'draft',
    caption: 'measured',
    media_ids: [],
    channel_ids: [channelId],
    scheduled_for: null,
    queued_at: null,
    generation: 1,
    revision: 1,
    open_targets: 0,
    posted_targets: 0,
    source: 'api',
    created_at: now,
    updated_at: now,
  };
  const target: TargetRow = {
    id: newId(nowMs),
    workspace_id: workspaceId,
    post_id: id,
    channel_id: channelId,
    platform: 'custom_webhook',
    status: 'pending',
    caption: null,
    title: null,
    description: null,
    options: null,
    external_post_id: null,
    external_post_url: null,
    error_message: null,
  };
  return { post, targets: [target] };
}
