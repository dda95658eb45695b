import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartupError } from './startup-error.ts';

const PROJECT = join(import.meta.dirname, '..');

/** All a synthesis depends on. */
const INPUTS = [
  'bin/app.ts',
  'lib/**/*.ts',
  'functions/**/*',
  'openapi.json',
  'cdk.json',
  'package-lock.json',
  'tsconfig.json',
];

/** Assemblies not used for this long are thrown away. */
const KEPT_MS = 2 * 3600 * 1000;

/** How often a running service, which starts functions from its assembly as they are called, says it uses it. */
const USED_EVERY_MS = 10 * 60 * 1000;

/**
 * Synthesizes the stack, bundles included, as `cdk synth` does but without its CLI; returns the folder of
 * the cloud assembly. The same sources give the same folder, so that only a change costs the time.
 *
 * @throws {StartupError} with the app's own words when it fails
 */
export async function synthesize(): Promise<string> {
  const assemblies = join(PROJECT, 'build/local');
  const directory = join(assemblies, fingerprint());
  if (!existsSync(directory)) {
    const fresh = `${directory}.${process.pid}`;
    await runApp(fresh);
    if (existsSync(directory)) rmSync(fresh, { recursive: true });
    else renameSync(fresh, directory);
  }
  use(directory);
  setInterval(use, USED_EVERY_MS, directory).unref();
  for (const name of readdirSync(assemblies)) {
    const each = join(assemblies, name);
    const unusedMs = Date.now() - (statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (unusedMs > KEPT_MS) rmSync(each, { recursive: true, force: true });
  }
  return directory;
}

function use(directory: string): void {
  const now = new Date();
  if (existsSync(directory)) utimesSync(directory, now, now);
}

function fingerprint(): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of globSync(INPUTS, { cwd: PROJECT }).sort()) {
    if (statSync(join(PROJECT, path)).isFile())
      hash.update(`\0${path}\0`).update(readFileSync(join(PROJECT, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function runApp(outputDirectory: string): Promise<void> {
  const app = spawn(process.execPath, ['bin/app.ts'], {
    cwd: PROJECT,
    env: { ...process.env, CDK_OUTDIR: outputDirectory, CDK_CONTEXT_JSON: '{"natives":"omitted"}' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const words: Buffer[] = [];
  app.stdout.on('data', (chunk: Buffer) => words.push(chunk));
  app.stderr.on('data', (chunk: Buffer) => words.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    app.once('error', reject);
    app.once('close', resolve);
  });
  if (code === 0) return;
  rmSync(outputDirectory, { recursive: true, force: true });
  throw new StartupError(`the stack does not synthesize:\n${Buffer.concat(words).toString()}`);
}
