import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from './startup-error.ts';

const PROJECT = join(import.meta.dirname, '..');

/**
 * Synthesizes the stack into `directory`, bundles included: what `cdk synth` runs, without its CLI.
 *
 * @throws {StartupError} with the app's own words when it fails
 */
export async function synthesize(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const app = spawn(process.execPath, ['bin/app.ts'], {
    cwd: PROJECT,
    env: { ...process.env, CDK_OUTDIR: directory, CDK_CONTEXT_JSON: '{}' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const words: Buffer[] = [];
  app.stdout.on('data', (chunk: Buffer) => words.push(chunk));
  app.stderr.on('data', (chunk: Buffer) => words.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    app.once('error', reject);
    app.once('close', resolve);
  });
  if (code !== 0)
    throw new StartupError(`the stack does not synthesize:\n${Buffer.concat(words).toString()}`);
}
