import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newStateDirectory, startServiceProcess } from '../test/system/service-process.ts';

/** Resident memory over idle while fetch-media takes a film of 100 MB and one of 1 GB, in a process of its own. */
export async function fetchMemory(): Promise<object> {
  const stateDirectory = newStateDirectory();
  const service = await startServiceProcess({ stateDirectory });
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      join(import.meta.dirname, 'fetch-memory-process.ts'),
      join(stateDirectory, 'operator.json'),
    ]);
    // Its log comes first.
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  } finally {
    await service.end('SIGTERM');
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}
