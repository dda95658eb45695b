import { rmSync } from 'node:fs';
import { type RunningService, startService } from '../local/service.ts';
import { type Call, clientOf } from '../test/system/client.ts';
import { newStateDirectory } from '../test/system/service-process.ts';
import {
  newWorkspace,
  operatorOf,
  type TestOperator,
  type TestWorkspace,
} from '../test/system/test-workspace.ts';

/** A service to measure, with a workspace that meets no limit. */
export interface MeasuredService {
  readonly service: RunningService;
  readonly operator: TestOperator;
  readonly workspace: TestWorkspace;
  /** With the workspace's key. */
  readonly call: Call;
}

/** Runs the measurement on a service of its own. */
export async function onService<T>(measure: (measured: MeasuredService) => Promise<T>): Promise<T> {
  const stateDirectory = newStateDirectory();
  const service = await startService({ port: 0, stateDirectory });
  try {
    const operator = operatorOf(stateDirectory);
    const workspace = await newWorkspace(operator);
    const client = clientOf(service);
    const call: Call = (method, path, options) => client(method, path, { key: workspace.key, ...options });
    return await measure({ service, operator, workspace, call });
  } finally {
    await service.stop();
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}
