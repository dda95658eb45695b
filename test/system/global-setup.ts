import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import type { ServiceFile } from '../../local/service-file.ts';
import { startServiceProcess } from './service-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The service of this run: one for all files, so a test keeps to posts and paths of its own. */
    service: ServiceFile;
    /** Its state directory, for commands that work on it. */
    stateDirectory: string;
  }
}

/** Starts one service for all system tests of a run; `inject('service')` says where it is. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startServiceProcess();
  project.provide('service', service.file);
  project.provide('stateDirectory', service.stateDirectory);
  return async () => {
    await service.end('SIGTERM');
    rmSync(service.stateDirectory, { recursive: true, force: true });
  };
}
