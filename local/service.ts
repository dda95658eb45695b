import { setTimeout as sleep } from 'node:timers/promises';
import { createTables } from './create-tables.ts';
import { startDynamoDb } from './dynamodb-process.ts';
import { type Edge, startEdge } from './edge/start-edge.ts';
import { awsEnvironment, operatorAccount } from './edge-access.ts';
import { startEventSources } from './event-sources.ts';
import { queueMessages } from './events/queue-messages.ts';
import { freePort } from './free-port.ts';
import { type FunctionRuntime, startFunctionRuntime } from './functions/runtime.ts';
import { listen } from './gateway.ts';
import { operatorAccess } from './operator-access.ts';
import { platformSettings } from './platforms/platform-accounts.ts';
import { publicPaths, publicUrls } from './public-paths.ts';
import { startRecurringRuns } from './recurring-runs.ts';
import { seeded } from './seed.ts';
import type { ServiceFile } from './service-file.ts';
import type { ServiceModel } from './service-model.ts';
import { type StateDirectory, takeStateDirectory, writeJson } from './state-directory.ts';
import { synthesize } from './synthesize.ts';
import { readServiceModel } from './template.ts';

/** How the local service is started. */
export interface ServiceOptions {
  /** 0 is any free port. */
  readonly port: number;
  readonly stateDirectory: string;
  /** Whether to begin with nothing. @default false */
  readonly isReset?: boolean;
  /** Replaces the template's interval of recurring runs. */
  readonly sweepIntervalSeconds?: number | undefined;
  /** Who writes captions: rules, or Amazon Bedrock with this process's AWS credentials. @default rules */
  readonly captionModel?: 'rules' | 'bedrock' | undefined;
  /** Changes what was read from the template, for tests of what the template prevents. @default unchanged */
  readonly adjust?: (model: ServiceModel) => ServiceModel;
}

/** The local service, ready. */
export interface RunningService extends ServiceFile {
  /** Who writes captions here. */
  readonly captionModel: 'rules' | 'bedrock';
  readonly edge: Edge;
  readonly state: StateDirectory;
  /** Stops everything; what is under way gets a moment to end. Twice is as good as once. */
  stop(): Promise<void>;
}

/** How long work under way may take once the service is told to stop. */
const STOP_AFTER_MS = 5000;

/**
 * Starts the whole service, as the synthesized template describes it, and seeds it at its first start.
 *
 * @throws {StartupError} with one line for its user
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  await using undo = new AsyncDisposableStack();
  const state = takeStateDirectory(options.stateDirectory, options.isReset ?? false);
  undo.defer(() => state.release());
  const gateway = await listen(options.port);
  undo.defer(() => gateway.close());
  const origin = `http://localhost:${gateway.port}`;
  const { model, edge, runtime } = await startAws(options, { state, origin, undo });

  const account = operatorAccount(edge, model, platformSettings(origin));
  const access = operatorAccess(account);
  const urls = publicUrls(origin);
  const workspaces = await seeded(access, urls.inbox_url, state.at('seed'));
  gateway.open(publicPaths({ urls, model, runtime, edge, access, state }));
  undo.defer(() => gateway.close());

  const sources = startEventSources({ model, runtime, messages: queueMessages(edge.queues) });
  const runs = startRecurringRuns({ model, runtime, everySeconds: options.sweepIntervalSeconds });
  undo.defer(async () => {
    await Promise.race([Promise.all([sources.stop(), runs.stop()]), sleep(STOP_AFTER_MS)]);
  });

  const file: ServiceFile = { ...urls, edge_url: edge.endpoint, workspaces };
  writeJson(state.at('operator'), account);
  writeJson(state.at('service'), file);
  undo.defer(() => state.withdraw());
  const started = undo.move();
  return {
    ...file,
    captionModel: options.captionModel ?? 'rules',
    edge,
    state,
    stop: () => started.disposeAsync(),
  };
}

/** The table's engine, the edge in front of it, and the functions that call it. */
async function startAws(
  options: ServiceOptions,
  { state, origin, undo }: { state: StateDirectory; origin: string; undo: AsyncDisposableStack },
): Promise<{ model: ServiceModel; edge: Edge; runtime: FunctionRuntime }> {
  const starting = startDynamoDb({ stateDirectory: state.at('aws') });
  const [dynamo, assembly] = await Promise.all([starting, synthesize()]).catch(async (error: unknown) => {
    await starting.then((each) => each.stop()).catch(() => {});
    throw error;
  });
  undo.defer(() => dynamo.stop());

  const port = await freePort();
  const awsEndpoint = `http://127.0.0.1:${port}`;
  const addresses = { region: 'us-east-1', accountId: '000000000000', awsEndpoint, origin };
  const synthesized = readServiceModel(assembly, addresses);
  const model = options.adjust?.(synthesized) ?? synthesized;
  await createTables(model, dynamo.endpoint);

  const edge = await startEdge({
    model,
    port,
    stateDirectory: state.at('aws'),
    dynamoEndpoint: dynamo.endpoint,
    captionModel: options.captionModel,
    onCrash: (_principal, instance) => runtime.kill(instance),
  });
  undo.defer(() => edge.stop());
  const runtime = startFunctionRuntime({
    model,
    logDirectory: state.at('logs'),
    environmentOf: (each, instance) => ({
      ...awsEnvironment(edge, each, instance),
      ...platformSettings(origin),
    }),
    onInvoke: ({ logicalId }, instance, requestId) =>
      edge.beginRequest(edge.credentialsFor(logicalId, instance).accessKeyId, requestId),
  });
  undo.defer(() => runtime.stop());
  return { model, edge, runtime };
}
