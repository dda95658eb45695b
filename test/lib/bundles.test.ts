import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { esbuildBundles } from '../../lib/constructs/bundles.ts';

const project = mkdtempSync(join(tmpdir(), 'bundles-'));
const write = (path: string, text: string) => {
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), text);
};
write('functions/posts/say-hello.ts', `export const hello = (name: string): string => 'hello ' + name;`);
write(
  'functions/posts/greet.handler.ts',
  `import { hello } from './say-hello.ts';\nexport const handler = async () => hello('you');`,
);
const bundle = join(project, 'build/functions/posts/greet/index.mjs');

afterAll(() => rmSync(project, { recursive: true }));

describe('bundles', () => {
  it('hold a handler and all it imports, with a map back to its source', async () => {
    esbuildBundles(project).codeOf('posts/greet');

    const { handler } = await import(pathToFileURL(bundle).href);
    expect(await handler()).toBe('hello you');
    expect(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')).sources).toContainEqual(
      expect.stringMatching(/functions\/posts\/greet\.handler\.ts$/),
    );
  });

  it('are left alone when nothing changed, since another synthesis may be reading them', () => {
    esbuildBundles(project);
    const before = statSync(bundle).mtimeMs;

    esbuildBundles(project);

    expect(statSync(bundle).mtimeMs).toBe(before);
  });

  it('name the handler that is missing', () => {
    const bundles = esbuildBundles(project);

    expect(() => bundles.codeOf('posts/part')).toThrow(
      'functions/posts/part.handler.ts is missing, but lib/ deploys it',
    );
  });
});
