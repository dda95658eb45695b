import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenRules } from './import-rules.ts';

const PROJECT = join(import.meta.dirname, '..');
const sources = globSync('{bin,lib,functions,upload,local,verify-webhook,bench,test}/**/*.ts', {
  cwd: PROJECT,
});

describe('the import rules', () => {
  it('hold in every source file', () => {
    const broken = sources.flatMap((path) => brokenRules(path, readFileSync(join(PROJECT, path), 'utf8')));

    expect(sources.length).toBeGreaterThan(50);
    expect(broken).toEqual([]);
  });

  it.each([
    ['functions/shared/clock.ts', `import { keys } from '../posts/post.ts';`, 'features below it'],
    ['functions/channels/channel.ts', `import type { Post } from '../posts/post.ts';`, 'features below it'],
    ['functions/posts/post.ts', `import { tailor } from '../captions/tailor.ts';`, 'features below it'],
    ['functions/posts/post.ts', `import { x } from '../unheard-of/x.ts';`, 'features below it'],
    ['functions/posts/post.ts', `import {\n  Stage,\n} from '../../lib/stages.ts';`, 'only functions/'],
    ['functions/posts/create-post.ts', `import { SQSClient } from '@aws-sdk/client-sqs';`, 'no AWS library'],
    ['functions/posts/create-post.ts', `import type { SQSEvent } from 'aws-lambda';`, 'no AWS library'],
    ['functions/posts/create-post.ts', `const { S3Client } = await import('@aws-sdk/client-s3');`, 'no AWS'],
    ['functions/posts/create-post.ts', `import middy from '@middy/core';`, 'no AWS library'],
    ['functions/posts/get-post.ts', `import { handler } from './get-post.handler.ts';`, 'imports a handler'],
    ['lib/features/posts.ts', `import { PostsEnv } from '../../functions/posts/env.ts';`, 'types alone'],
    ['lib/features/posts.ts', `import '../../functions/posts/env.ts';`, 'types alone'],
    ['lib/constructs/bundles.ts', `import { Posts } from '../features/posts.ts';`, 'not our domain'],
    ['functions/posts/string-utils.ts', '', 'does not say what is in it'],
    ['functions/common/ids.ts', '', 'does not say what is in it'],
  ])('are seen to be broken: %s with %s', (path, source, rule) => {
    expect(brokenRules(path, source)).toEqual([expect.stringContaining(rule)]);
  });

  it.each([
    ['functions/posts/post-store.ts', `import { PutCommand } from '@aws-sdk/lib-dynamodb';`],
    ['functions/posts/get-post.handler.ts', `import { readEndpoint } from '../access/endpoint.ts';`],
    ['functions/publishing/start-post.ts', `import { Post } from '../posts/post.ts';`],
    ['lib/features/posts.ts', `import type { PostsEnv } from '../../functions/posts/env.ts';`],
    ['bin/operator.ts', `import { createKey } from '../functions/access/create-key.ts';`],
  ])('allow %s with %s', (path, source) => {
    expect(brokenRules(path, source)).toEqual([]);
  });
});

it('objects of requests are closed in one place, which knows that an array is none', () => {
  const elsewhere = sources.filter(
    (path) =>
      path.startsWith('functions/') &&
      path !== 'functions/shared/strict-object.ts' &&
      readFileSync(join(PROJECT, path), 'utf8').includes('v.strictObject('),
  );

  expect(elsewhere).toEqual([]);
});
