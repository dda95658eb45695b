import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { synthesize } from '../local/synthesize.ts';
import { readServiceModel } from '../local/template.ts';

/** The best of so many: what the machine does besides only ever adds to it. */
const TRIES = 5;

const SCRIPT = `const start = performance.now();
await import(process.argv[1]);
console.log(performance.now() - start);`;

/** How long Node takes to load each function's bundle, and a handler that is empty, each in a process of its own. */
export async function importTimes(): Promise<Readonly<Record<string, object>>> {
  const addresses = {
    region: 'us-east-1',
    accountId: '000000000000',
    awsEndpoint: 'http://127.0.0.1:1',
    origin: 'http://localhost:1',
  };
  const { functions } = readServiceModel(await synthesize(), addresses);
  const empty = join(mkdtempSync(join(tmpdir(), 'empty-handler-')), 'index.mjs');
  writeFileSync(empty, 'export const handler = async () => ({ statusCode: 200 });\n');

  const rows: Record<string, object> = { 'an empty handler': { ms: timeOf(empty, {}), kilobytes: 0 } };
  for (const { name, bundleDirectory, handler, environment } of functions.toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(bundleDirectory, `${handler.split('.')[0]}.mjs`);
    rows[name] = { ms: timeOf(path, environment), kilobytes: Math.round(statSync(path).size / 1024) };
  }
  return rows;
}

function timeOf(path: string, environment: Readonly<Record<string, string>>): number {
  const env = { ...environment, PATH: process.env.PATH, AWS_REGION: 'us-east-1' };
  const options = { env: { ...env, NODE_OPTIONS: '' }, encoding: 'utf8' } as const;
  const args = ['--input-type=module', '-e', SCRIPT, pathToFileURL(path).href];
  const times = Array.from({ length: TRIES }, () => Number(execFileSync(process.execPath, args, options)));
  return Math.round(Math.min(...times) * 10) / 10;
}
