import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Edge } from '../../../local/edge/start-edge.ts';
import { edgeModel, without } from './edge-model.ts';
import { clients, stateDirectory, testEdge } from './edge-under-test.ts';

const Bucket = 'media';
const MEBIBYTE = 1024 * 1024;
const directory = stateDirectory();
let edge: Edge;
let s3: ReturnType<typeof clients>['s3'];

beforeAll(async () => {
  edge = await testEdge({ stateDirectory: directory.path });
  s3 = clients(edge, 'CreatePost').s3;
});
afterAll(async () => {
  await edge.stop();
  directory.remove();
});

const put = (Key: string, Body: string | Buffer, rest = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...rest }));
const text = async (Key: string, rest = {}) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key, ...rest }))).Body?.transformToString();

describe('objects', () => {
  it('come back as they were put, under any key, with type and metadata', async () => {
    const key = 'ws/1/käse & co+%20.jpg';
    await put(key, 'cheese', { ContentType: 'image/jpeg', Metadata: { owner: 'me' } });

    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: key }));

    expect(head).toMatchObject({ ContentLength: 6, ContentType: 'image/jpeg', Metadata: { owner: 'me' } });
    expect(head.ETag).toBe('"fea0f1f6fede90bd0a925b4194deac11"');
    expect(await text(key)).toBe('cheese');
  });

  it('stream in both ways without growing the process by their size', async () => {
    const chunk = randomBytes(MEBIBYTE);
    const Body = Readable.from(
      Array.from({ length: 64 }, () => chunk),
      { objectMode: false },
    );
    const before = process.memoryUsage().rss;
    await s3.send(new PutObjectCommand({ Bucket, Key: 'large', Body, ContentLength: 64 * MEBIBYTE }));

    const { Body: stream } = await s3.send(new GetObjectCommand({ Bucket, Key: 'large' }));
    let bytes = 0;
    for await (const part of stream as Readable) bytes += part.length;

    expect(bytes).toBe(64 * MEBIBYTE);
    expect(process.memoryUsage().rss - before).toBeLessThan(96 * MEBIBYTE);
  });

  it('give ranges and honour conditions on reads', async () => {
    const { ETag } = await put('ranged', '0123456789');

    expect(await text('ranged', { Range: 'bytes=2-4' })).toBe('234');
    expect(await text('ranged', { Range: 'bytes=-3' })).toBe('789');
    expect(await text('ranged', { IfMatch: ETag })).toBe('0123456789');
    await expect(text('ranged', { IfMatch: '"other"' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    await expect(text('ranged', { Range: 'bytes=10-' })).rejects.toMatchObject({ name: 'InvalidRange' });
  });

  it('are written once under If-None-Match, even by two at once', async () => {
    const writes = ['one', 'two'].map((body) => put('once', body, { IfNoneMatch: '*' }));

    const results = await Promise.allSettled(writes);

    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { name: 'PreconditionFailed' },
    });
  });

  it('are copied only from the version that was meant, and stay when the source goes', async () => {
    const { ETag } = await put('source', 'bytes', { ContentType: 'image/png' });
    const copy = (CopySourceIfMatch: string | undefined) =>
      s3.send(
        new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/source`, CopySourceIfMatch }),
      );

    await expect(copy('"older"')).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await copy(ETag);
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'source' }));

    expect(await text('copy')).toBe('bytes');
    await expect(text('source')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('are refused when their bytes are not what the checksum says', async () => {
    const bad = put('bad', 'bytes', { ChecksumSHA256: Buffer.alloc(32).toString('base64') });

    await expect(bad).rejects.toMatchObject({ name: 'BadDigest' });
    await expect(text('bad')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('are listed by prefix, page after page', async () => {
    for (const key of ['list/c', 'list/a', 'list/b', 'lisu']) await put(key, key);

    const first = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/', MaxKeys: 2 }));
    const ContinuationToken = first.NextContinuationToken;
    const second = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/', ContinuationToken }));

    expect(first.Contents?.map(({ Key }) => Key)).toEqual(['list/a', 'list/b']);
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(['list/c']);
  });

  it('survive a restart', async () => {
    await put('kept', 'still here');
    const again = await testEdge({ stateDirectory: directory.path });

    const { Body } = await clients(again, 'media-reader').s3.send(
      new GetObjectCommand({ Bucket, Key: 'kept' }),
    );

    expect(await Body?.transformToString()).toBe('still here');
    await again.stop();
  });
});

describe('permissions on objects', () => {
  it('are judged by key, and a copy by its source too', async () => {
    await put('private', 'x');
    const narrow = await testEdge({
      model: edgeModel(without('s3:GetObject')),
      stateDirectory: directory.path,
    });
    const client = clients(narrow, 'CreatePost').s3;

    const copy = client.send(new CopyObjectCommand({ Bucket, Key: 'mine', CopySource: `${Bucket}/private` }));

    await expect(copy).rejects.toMatchObject({
      name: 'AccessDenied',
      message: expect.stringContaining('s3:GetObject on resource: arn:aws:s3:::media/private'),
    });
    await narrow.stop();
  });

  it('hide from who may not list whether a key exists', async () => {
    const narrow = await testEdge({
      model: edgeModel(without('s3:ListBucket')),
      stateDirectory: directory.path,
    });

    const read = clients(narrow, 'CreatePost').s3.send(new GetObjectCommand({ Bucket, Key: 'absent' }));

    await expect(read).rejects.toMatchObject({ name: 'AccessDenied' });
    await narrow.stop();
  });

  it('are needed: a request without a signature gets nothing', async () => {
    const response = await fetch(`${edge.endpoint}/media/kept`);

    expect(response.status).toBe(403);
    expect(await response.text()).toContain('<Code>AccessDenied</Code>');
  });
});
