import { rmSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { type RunningService, type ServiceOptions, startService } from '../../local/service.ts';
import { type Call, clientOf } from './client.ts';
import { newStateDirectory } from './service-process.ts';
import { operatorOf, type TestOperator } from './test-workspace.ts';

/** A service a test file has to itself, so that it may make AWS fail. */
export interface OwnService {
  readonly service: RunningService;
  readonly call: Call;
  readonly operator: TestOperator;
}

/** Starts a service for a test file; usable from the first test on. */
export function ownService(
  options: Pick<ServiceOptions, 'sweepIntervalSeconds' | 'adjust'> = {},
): OwnService {
  const stateDirectory = newStateDirectory();
  let made: OwnService | undefined;
  beforeAll(async () => {
    const service = await startService({ port: 0, stateDirectory, ...options });
    made = { service, call: clientOf(service), operator: operatorOf(stateDirectory) };
  });
  afterAll(async () => {
    await made?.service.stop();
    rmSync(stateDirectory, { recursive: true, force: true });
  });
  const ready = () => {
    if (!made) throw new Error('the service is there only while tests run');
    return made;
  };
  return {
    get service() {
      return ready().service;
    },
    get call() {
      return ready().call;
    },
    get operator() {
      return ready().operator;
    },
  };
}
