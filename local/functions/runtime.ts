import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { FunctionModel, ServiceModel } from '../service-model.ts';
import { type FunctionLog, openFunctionLog } from './function-log.ts';
import { startInstance } from './instance.ts';
import type { Invocation } from './invocation.ts';
import { type FunctionPool, functionPool } from './pool.ts';

/** Runs the functions of the template. */
export interface FunctionRuntime {
  /** How many instances of this function run at once, at most. */
  maxInstancesOf(functionId: string): number;
  /**
   * Invokes a function with an event (JSON text). Every end of it is an outcome, none a rejection.
   * The request id, a UUID, becomes the invocation's and, as X-Ray trace id, that of all its AWS calls.
   */
  invoke(functionId: string, event: string, requestId?: string): Promise<Invocation>;
  /** Ends one instance of a function, as a crash would. */
  kill(instanceId: string): void;
  /** Ends all instances at once. */
  stop(): Promise<void>;
}

/** What the runtime is made of. */
export interface RuntimeOptions {
  readonly model: ServiceModel;
  readonly logDirectory: string;
  /** What one instance gets beside its template environment: address and credentials of the AWS edge. */
  readonly environmentOf: (model: FunctionModel, instanceId: string) => Readonly<Record<string, string>>;
  /** Called before an instance begins an invocation. */
  readonly onInvoke: (model: FunctionModel, instanceId: string, requestId: string) => void;
  /** Instances at most of a function whose event source does not say. @default 4 */
  readonly maxInstances?: number;
  /** How long an instance may be idle before it is ended. @default 300 */
  readonly idleSeconds?: number;
}

/** Starts the runtime; instances start with their first event. */
export function startFunctionRuntime(options: RuntimeOptions): FunctionRuntime {
  const { model, logDirectory, maxInstances = 4, idleSeconds = 300 } = options;
  const maxInstancesOf = (functionId: string): number =>
    model.eventSources.find((source) => source.functionId === functionId)?.maxConcurrency ?? maxInstances;
  const logs = new Map<string, FunctionLog>();
  const pools = new Map<string, FunctionPool>();
  for (const each of model.functions) {
    const log = openFunctionLog(logDirectory, each.name);
    logs.set(each.logicalId, log);
    pools.set(
      each.logicalId,
      functionPool(maxInstancesOf(each.logicalId), () => newInstance(options, each, log)),
    );
  }
  const reaper = setInterval(() => {
    for (const pool of pools.values()) pool.reap(Date.now() - idleSeconds * 1000);
  }, 10_000).unref();

  return {
    maxInstancesOf,
    invoke: async (functionId, event, requestId = randomUUID()) => {
      const pool = pools.get(functionId);
      const log = logs.get(functionId);
      if (!pool || !log) throw new Error(`no function ${functionId} in the template`);
      const invocation = await pool.invoke(requestId, event);
      if (invocation.outcome !== 'answered') record(invocation, log);
      return invocation;
    },
    kill: (instanceId) => {
      for (const pool of pools.values()) pool.kill(instanceId);
    },
    stop: async () => {
      clearInterval(reaper);
      await Promise.all([...pools.values()].map((pool) => pool.stop()));
    },
  };
}

function newInstance(options: RuntimeOptions, model: FunctionModel, log: FunctionLog) {
  const instanceId = randomBytes(6).toString('hex');
  const { region, accountId } = options.model;
  const [fileName = '', exportName = ''] = model.handler.split('.');
  return startInstance({
    id: instanceId,
    start: {
      modulePath: join(model.bundleDirectory, `${fileName}.mjs`),
      exportName,
      functionName: model.logicalId,
      functionArn: `arn:aws:lambda:${region}:${accountId}:function:${model.logicalId}`,
      memoryMegabytes: model.memoryMegabytes,
    },
    environment: {
      ...model.environment,
      AWS_REGION: region,
      AWS_LAMBDA_FUNCTION_NAME: model.logicalId,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(model.memoryMegabytes),
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      LAMBDA_TASK_ROOT: model.bundleDirectory,
      ...options.environmentOf(model, instanceId),
    },
    timeoutSeconds: model.timeoutSeconds,
    log: log.write,
    onInvoke: (requestId) => options.onInvoke(model, instanceId, requestId),
  });
}

function record(invocation: Exclude<Invocation, { outcome: 'answered' }>, log: FunctionLog): void {
  const error = invocation.outcome === 'timed out' ? undefined : invocation.error;
  const line = {
    timestamp: new Date().toISOString(),
    level: 'ERROR',
    message: `invocation ${invocation.outcome}`,
    function_request_id: invocation.requestId,
    error,
  };
  log.write(`${JSON.stringify(line)}\n`);
  if (invocation.outcome === 'failed') return;
  console.error(`${log.path}: invocation ${invocation.outcome}${error ? `: ${error.split('\n')[0]}` : ''}`);
}
