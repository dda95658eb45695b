import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { StartupError } from './startup-error.ts';

/** A running DynamoDB engine. */
export interface DynamoDbProcess {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 10_000;

/**
 * Runs the engine below a shell that ends it when our end of the pipe closes, which the system does
 * for us however we end: no engine is left behind, even by `kill -9`.
 */
const WATCHED = 'exec 3<&0; "$@" 3<&- & pid=$!; (cat <&3 >/dev/null; kill $pid 2>/dev/null) & wait $pid';

/**
 * Starts dynoxide on the state directory's database file, or uses the engine at
 * `AWS_ENDPOINT_URL_DYNAMODB` when that is set.
 *
 * @throws {StartupError} in one line, when there is no binary for this platform or it does not come up
 */
export async function startDynamoDb({
  stateDirectory,
}: {
  readonly stateDirectory: string;
}): Promise<DynamoDbProcess> {
  const given = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (given !== undefined && given !== '') return { endpoint: given, stop: async () => {} };

  mkdirSync(stateDirectory, { recursive: true });
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const database = join(stateDirectory, 'dynamodb.sqlite');
  const command = [binary(), 'serve', '--port', String(port), '--db-path', database];
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', ...command], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // Out of reach of the terminal's Ctrl-C, which means the service: it still needs the table to stop well.
    detached: true,
  });
  let complaint = '';
  child.stderr?.on('data', (text) => {
    complaint = `${complaint}${text}`.slice(-500);
  });
  // Closing the pipe of an engine that has ended by itself is no error of ours.
  child.stdin?.on('error', () => {});
  child.unref();

  await ready(endpoint, child, () => complaint.trim());
  return {
    endpoint,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
    },
  };
}

async function ready(endpoint: string, child: ChildProcess, complaint: () => string): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS;
  while (child.exitCode === null && performance.now() < until) {
    // It refuses connections until it is ready, and answers anything, were it a 404, from then on.
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      return;
    await delay(10);
  }
  child.stdin?.end();
  throw new StartupError(
    `dynoxide did not come up on ${endpoint}: ${complaint() || `exit code ${child.exitCode}`}`,
  );
}

function binary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return join(createRequire(import.meta.url).resolve(`${name}/package.json`), '..', 'dynoxide');
  } catch {
    throw new StartupError(
      `no DynamoDB engine for this platform: install ${name}, or set AWS_ENDPOINT_URL_DYNAMODB to any DynamoDB endpoint`,
    );
  }
}
