import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newStateDirectory, startServiceProcess } from '../test/system/service-process.ts';

const SIZES_MB = [100, 1024] as const;

/** A process's peak depends on when its garbage is collected: what counts is whether the ranges lie over each other. */
const RUNS = 3;

/** Resident megabytes over idle while fetch-media takes a film, each film in a process of its own. */
export async function fetchMemory(): Promise<object> {
  const stateDirectory = newStateDirectory();
  const service = await startServiceProcess({ stateDirectory });
  try {
    const result: Record<string, object> = {};
    for (const size of SIZES_MB) {
      const runs = [];
      for (let run = 0; run < RUNS; run += 1) runs.push(await measured(size, stateDirectory));
      const over = runs.map(({ over_idle }) => over_idle).toSorted((one, other) => one - other);
      result[`${size} MB`] = { idle_mb: runs[0]?.idle, over_idle_mb: over.join(', ') };
    }
    return result;
  } finally {
    await service.end('SIGTERM');
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}

async function measured(megabytes: number, stateDirectory: string) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    join(import.meta.dirname, 'fetch-memory-process.ts'),
    join(stateDirectory, 'operator.json'),
    String(megabytes),
  ]);
  // Its log comes first.
  const result: { idle: number; over_idle: number } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  return result;
}
