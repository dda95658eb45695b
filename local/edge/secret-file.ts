import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of a file only its owner may read; made by `create` when there is none yet. */
export function secretFile(directory: string, name: string, create: () => Buffer): Buffer {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  try {
    writeFileSync(path, create(), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(path);
}
