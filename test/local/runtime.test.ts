import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FunctionRuntime, startFunctionRuntime } from '../../local/functions/runtime.ts';
import { functionModel, serviceModel } from './models.ts';

let runtime: FunctionRuntime;
let logDirectory: string;

/** A runtime with one function, `F`, of this source. */
function runtimeOf(source: string, options: { timeoutSeconds?: number; maxInstances?: number } = {}): void {
  const directory = mkdtempSync(join(tmpdir(), 'runtime-'));
  logDirectory = join(directory, 'logs');
  mkdirSync(logDirectory);
  writeFileSync(join(directory, 'index.mjs'), source);
  const model = functionModel({
    logicalId: 'F',
    bundleDirectory: directory,
    environment: { COLOUR: 'green' },
    timeoutSeconds: options.timeoutSeconds ?? 5,
  });
  runtime = startFunctionRuntime({
    model: serviceModel({ functions: [model] }),
    logDirectory,
    environmentOf: (_model, instance) => ({ AWS_ACCESS_KEY_ID: `AKIAF_${instance}` }),
    onInvoke: () => {},
    maxInstances: options.maxInstances ?? 2,
  });
}

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => runtime.stop());

describe('running a function', () => {
  it('gives it its event, its context and its own environment alone', async () => {
    runtimeOf(`export const handler = async (event, context) => ({
      event, left: context.getRemainingTimeInMillis(), id: context.awsRequestId, name: context.functionName,
      colour: process.env.COLOUR, path: process.env.PATH, key: process.env.AWS_ACCESS_KEY_ID,
    });`);

    const invocation = await runtime.invoke('F', '{"a":1}', '0190a0a0-0000-7000-8000-000000000001');

    const answer = invocation.outcome === 'answered' ? JSON.parse(invocation.payload) : invocation;
    expect(answer).toMatchObject({ event: { a: 1 }, colour: 'green', name: 'F' });
    expect(answer.id).toBe('0190a0a0-0000-7000-8000-000000000001');
    expect(answer.key).toMatch(/^AKIAF_[0-9a-f]{12}$/);
    expect(answer.left).toBeGreaterThan(4000);
    expect(answer.path).toBeUndefined();
  });

  it('keeps instances warm, one event at a time each, and no more than allowed', async () => {
    runtimeOf(`let count = 0; let running = 0; let id = Math.random();
      export const handler = async () => {
        running += 1; count += 1;
        await new Promise((r) => setTimeout(r, 50));
        running -= 1; return { id, count, overlaps: running };
      };`);

    const ends = await Promise.all(Array.from({ length: 6 }, () => runtime.invoke('F', '{}')));

    const answers = ends.map((end) => (end.outcome === 'answered' ? JSON.parse(end.payload) : end));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(2);
    expect(answers.every(({ overlaps }) => overlaps === 0)).toBe(true);
    expect(answers.filter(({ count }) => count === 1)).toHaveLength(2);
  });

  it('says that a handler threw, logs it, and goes on with the same instance', async () => {
    runtimeOf(`let count = 0;
      export const handler = async () => { count += 1; if (count === 1) throw new Error('no luck'); return count; };`);

    expect(await runtime.invoke('F', '{}')).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining('no luck'),
    });
    expect(await runtime.invoke('F', '{}')).toMatchObject({ outcome: 'answered', payload: '2' });
    await runtime.stop();
    const log = readFileSync(join(logDirectory, 'F.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(log[0]).toMatchObject({ level: 'ERROR', message: 'invocation failed' });
  });

  it('ends a function at its timeout and starts anew', async () => {
    runtimeOf(`export const handler = async (event) => { if (event.forever) for (;;); return 'alive'; };`, {
      timeoutSeconds: 1,
    });

    expect((await runtime.invoke('F', '{"forever":true}')).outcome).toBe('timed out');
    expect(await runtime.invoke('F', '{}')).toMatchObject({ payload: '"alive"' });
  });

  it('survives a crash of the worker, and one that never loads', async () => {
    runtimeOf(
      `export const handler = () => new Promise(() => setTimeout(() => { throw new Error('stray'); }));`,
    );
    expect(await runtime.invoke('F', '{}')).toMatchObject({
      outcome: 'crashed',
      error: expect.stringContaining('stray'),
    });
    await runtime.stop();

    runtimeOf(`throw new Error('no environment');`);
    expect(await runtime.invoke('F', '{}')).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining('no environment'),
    });
  });

  it('ends the instance it is told to, under its invocation', async () => {
    runtimeOf(
      `export const handler = ({ isLong }) => new Promise((resolve) => {
        setTimeout(() => resolve(process.env.AWS_ACCESS_KEY_ID), isLong ? 4000 : 0);
      });`,
    );
    const first = await runtime.invoke('F', '{}');
    const instance = first.outcome === 'answered' ? JSON.parse(first.payload).split('_')[1] : '';

    const second = runtime.invoke('F', '{"isLong":true}');
    setTimeout(() => runtime.kill(instance), 50);

    expect((await second).outcome).toBe('crashed');
    expect(console.error).toHaveBeenCalledWith(expect.stringMatching(/F\.log: invocation crashed/));
  });

  it('refuses an answer larger than Lambda allows', async () => {
    runtimeOf(`export const handler = async () => 'x'.repeat(7 * 1024 * 1024);`);

    expect(await runtime.invoke('F', '{}')).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining('larger'),
    });
  });
});
