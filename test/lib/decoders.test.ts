import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { BUNDLED } from '../../lib/constructs/bundles.ts';

const PROJECT = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'decoders-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('process-media finds its decoders in a layer, and all else in its bundle', () => {
  const entry = { in: join(PROJECT, 'functions/media/process-media.handler.ts'), out: 'index' };
  buildSync({
    ...BUNDLED,
    write: true,
    absWorkingDir: PROJECT,
    entryPoints: [entry],
    outdir: join(directory, 'task'),
  });
  const layer = join(directory, 'opt/nodejs/node_modules');
  // This machine's packages in place of those for Lambda's processor; nothing else is within reach of the bundle.
  for (const scope of ['@img', '@seydx']) {
    mkdirSync(layer, { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules', scope), join(layer, scope));
  }

  const look = 'import("./index.mjs").then((loaded) => console.log(typeof loaded.handler))';
  const printed = execFileSync(process.execPath, ['-e', look], {
    cwd: join(directory, 'task'),
    // As Lambda sets it.
    env: { NODE_PATH: layer, SERVICE_TABLE: 'table', MEDIA_BUCKET: 'bucket', AWS_REGION: 'us-east-1' },
  });

  expect(printed.toString().trim()).toBe('function');
});
