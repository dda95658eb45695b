import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

it('shows one delivery of an image with a good signature, on the service that is running', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['local/demo.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, STATE_DIR: inject('stateDirectory') },
  });

  expect(stdout).toContain('"signature_valid": true');
  expect(stdout).toContain('"filename": "pixel.png"');
  expect(stdout).toContain('its signature is valid.');
});
