import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from './startup-error.ts';

/** Everything the local service keeps, and where; `--reset` removes these and nothing else. */
const ENTRIES = {
  /** The AWS edge: table, queues, schedules, objects, keys. */
  aws: 'aws',
  logs: 'logs',
  inbox: 'inbox.jsonl',
  seed: 'seed.json',
  /** What was published on the fake platforms. */
  platforms: 'platforms.json',
  /** For clients; there only while the service is ready. */
  service: 'service.json',
  /** For the operator CLI; there only while the service is ready. */
  operator: 'operator.json',
} as const;

/** The directory of one local service, held by one process at a time. */
export interface StateDirectory {
  readonly path: string;
  /** The absolute path of an entry. */
  at(entry: keyof typeof ENTRIES): string;
  /** Removes the files that say a service is ready. */
  withdraw(): void;
  /** Lets another process have it. */
  release(): void;
}

/**
 * Takes the directory for this process, first emptied if so wished. The lock is SQLite's own, which ends
 * with the process however that ends: after `kill -9` nothing is left to clean up.
 *
 * @throws {StartupError} when a running service holds it, or it cannot be written
 */
export function takeStateDirectory(directory: string, isReset: boolean): StateDirectory {
  const path = resolve(directory);
  const at = (entry: keyof typeof ENTRIES): string => join(path, ENTRIES[entry]);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new StartupError(`cannot make the state directory ${path}: ${messageOf(error)}`);
  }
  const lock = lockOf(path);
  if (isReset) {
    for (const entry of Object.values(ENTRIES)) rmSync(join(path, entry), { recursive: true, force: true });
  }
  const withdraw = (): void => {
    rmSync(at('service'), { force: true });
    rmSync(at('operator'), { force: true });
  };
  // A service that did not end well left them; whoever waits for them waits for this start.
  withdraw();
  return { path, at, withdraw, release: () => lock.close() };
}

function lockOf(path: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(join(path, 'lock.sqlite'), { timeout: 0 });
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    const isHeld = messageOf(error).includes('locked');
    throw new StartupError(
      isHeld
        ? `another service is running in ${path}: stop it, or choose another directory with STATE_DIR`
        : `cannot use the state directory ${path}: ${messageOf(error)}`,
    );
  }
}

/** Writes JSON that only its owner may read, whole or not at all. */
export function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Reads JSON; undefined where there is no such file. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
