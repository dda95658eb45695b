import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { ServiceFile } from '../../local/service-file.ts';

/** A local service in a process of its own. */
export interface ServiceProcess {
  readonly file: ServiceFile;
  readonly stateDirectory: string;
  /** What it wrote to its terminal so far. */
  output(): string;
  /** Ends it and waits for the end; the exit code, or null after SIGKILL. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** How it is started. */
export interface ProcessOptions {
  /** @default a new one, empty */
  readonly stateDirectory?: string;
  /** @default any free port */
  readonly port?: number;
  readonly isReset?: boolean;
  /** Options of the command besides. */
  readonly options?: readonly string[];
  /** Variables besides those that make it a service of its own. */
  readonly environment?: Readonly<Record<string, string>>;
}

const READY_WITHIN_MS = 60_000;

/** A new, empty state directory. */
export const newStateDirectory = (): string => mkdtempSync(join(tmpdir(), 'social-posts-'));

/** Starts `npm start` and waits until it is ready. @throws {Error} with its output when it ends before */
export async function startServiceProcess(options: ProcessOptions = {}): Promise<ServiceProcess> {
  const stateDirectory = options.stateDirectory ?? newStateDirectory();
  const { child, output } = spawnService({ ...options, stateDirectory });
  const path = join(stateDirectory, 'service.json');
  const until = Date.now() + READY_WITHIN_MS;
  // Its banner comes after service.json; waiting for both leaves no stale file to be read.
  while (!(output().includes('ready on') && existsSync(path))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`the service did not start:\n${output()}`);
    }
    await sleep(20);
  }
  return {
    file: v.parse(ServiceFile, JSON.parse(readFileSync(path, 'utf8'))),
    stateDirectory,
    output,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** Runs `npm start` where it is expected to end by itself; its exit code and its words. */
export async function runServiceProcess(
  options: ProcessOptions,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { child, output } = spawnService(options);
  await once(child, 'close');
  return { code: child.exitCode, output: output() };
}

function spawnService(options: ProcessOptions): { child: ChildProcess; output: () => string } {
  const given = [...(options.isReset ? ['--reset'] : []), ...(options.options ?? [])];
  const child = spawn(process.execPath, ['local/main.ts', ...given], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      PATH: process.env.PATH,
      PORT: String(options.port ?? 0),
      STATE_DIR: options.stateDirectory,
      SWEEP_INTERVAL_SECONDS: '2',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const words: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => words.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => words.push(chunk));
  return { child, output: () => Buffer.concat(words).toString() };
}
