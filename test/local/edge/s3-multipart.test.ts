import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Edge } from '../../../local/edge/start-edge.ts';
import { edgeModel, STATEMENTS } from './edge-model.ts';
import { clients, stateDirectory, testEdge } from './edge-under-test.ts';

const Bucket = 'media';
const MEBIBYTE = 1024 * 1024;
const PART = randomBytes(5 * MEBIBYTE);
const directory = stateDirectory();
let edge: Edge;
let s3: ReturnType<typeof clients>['s3'];

beforeAll(async () => {
  edge = await testEdge({ stateDirectory: directory.path });
  s3 = clients(edge, 'operator').s3;
});
afterAll(async () => {
  await edge.stop();
  directory.remove();
});

const begin = async (Key: string, rest = {}) =>
  (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...rest }))).UploadId;
const part = (Key: string, UploadId: string | undefined, PartNumber: number, Body: Buffer | string) =>
  s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
const complete = (
  Key: string,
  UploadId: string | undefined,
  Parts: { PartNumber: number; ETag: string | undefined }[],
  rest = {},
) =>
  s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...rest }));
const blobs = () => readdirSync(join(directory.path, 's3', 'blobs')).length;

describe('uploads in parts', () => {
  it('become one object by way of lib-storage, without growing the process by its size', async () => {
    const chunk = randomBytes(MEBIBYTE);
    const Body = Readable.from(
      Array.from({ length: 48 }, () => chunk),
      { objectMode: false },
    );
    const before = process.memoryUsage().rss;
    const params = {
      Bucket,
      Key: 'käse/large.mp4',
      Body,
      ContentType: 'video/mp4',
      Metadata: { owner: 'me' },
    };

    const { ETag } = await new Upload({ client: s3, params, queueSize: 2 }).done();

    const { Body: stream, ...read } = await s3.send(new GetObjectCommand({ Bucket, Key: 'käse/large.mp4' }));
    const digest = createHash('sha256');
    for await (const bytes of stream as Readable) digest.update(bytes);
    const expected = createHash('sha256');
    for (let index = 0; index < 48; index += 1) expected.update(chunk);
    expect(digest.digest('hex')).toBe(expected.digest('hex'));
    expect(read).toMatchObject({ ContentLength: 48 * MEBIBYTE, ContentType: 'video/mp4', ETag });
    expect(read.Metadata).toEqual({ owner: 'me' });
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MEBIBYTE);
  });

  it('are tagged with the MD5 of their parts and their number, and leave no part behind', async () => {
    const before = blobs();
    const id = await begin('tagged');
    const second = await part('tagged', id, 2, 'overwritten');
    const first = await part('tagged', id, 1, PART);
    const last = await part('tagged', id, 2, 'end');

    const stale = complete('tagged', id, [{ PartNumber: 2, ETag: second.ETag }]);
    await expect(stale).rejects.toMatchObject({ name: 'InvalidPart' });
    const { ETag } = await complete('tagged', id, [
      { PartNumber: 1, ETag: first.ETag },
      { PartNumber: 2, ETag: last.ETag },
    ]);

    const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes).digest();
    expect(ETag).toBe(`"${md5(Buffer.concat([md5(PART), md5('end')])).toString('hex')}-2"`);
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'tagged' }))).toMatchObject({
      ETag,
      ContentLength: PART.length + 3,
    });
    expect(blobs()).toBe(before + 1);
  });

  it('are refused with a part too small, parts out of order, or a list of none', async () => {
    const id = await begin('refused');
    const [one, two] = [await part('refused', id, 1, 'small'), await part('refused', id, 2, 'last')];
    const [first, last] = [
      { PartNumber: 1, ETag: one.ETag },
      { PartNumber: 2, ETag: two.ETag },
    ];

    await expect(complete('refused', id, [first, last])).rejects.toMatchObject({ name: 'EntityTooSmall' });
    await expect(complete('refused', id, [last, first])).rejects.toMatchObject({ name: 'InvalidPartOrder' });
    await expect(complete('refused', id, [])).rejects.toMatchObject({ name: 'MalformedXML' });
    await expect(complete('other', id, [last])).rejects.toMatchObject({ name: 'NoSuchUpload' });
    await expect(part('refused', id, 10_001, 'x')).rejects.toMatchObject({ name: 'InvalidArgument' });
  });

  it('do not replace an object under If-None-Match', async () => {
    const write = async (bytes: string) => {
      const id = await begin('once');
      const { ETag } = await part('once', id, 1, bytes);
      return complete('once', id, [{ PartNumber: 1, ETag }], { IfNoneMatch: '*' });
    };
    await write('first');

    await expect(write('second')).rejects.toMatchObject({ name: 'PreconditionFailed' });

    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'once' }));
    expect(await Body?.transformToString()).toBe('first');
  });

  it('are nothing once aborted', async () => {
    const before = blobs();
    const id = await begin('aborted');
    const { ETag } = await part('aborted', id, 1, 'bytes');

    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'aborted', UploadId: id }));

    expect(blobs()).toBe(before);
    await expect(complete('aborted', id, [{ PartNumber: 1, ETag }])).rejects.toMatchObject({
      name: 'NoSuchUpload',
    });
    await expect(part('aborted', id, 2, 'bytes')).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  it('that were under way when the edge ended are gone when it starts', async () => {
    const alone = stateDirectory();
    const first = await testEdge({ stateDirectory: alone.path });
    const client = clients(first, 'operator').s3;
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'left' }));
    await client.send(new UploadPartCommand({ Bucket, Key: 'left', UploadId, PartNumber: 1, Body: 'bytes' }));
    await first.stop();

    const again = await testEdge({ stateDirectory: alone.path });

    expect(readdirSync(join(alone.path, 's3', 'blobs'))).toEqual([]);
    await again.stop();
    alone.remove();
  });

  it('need s3:PutObject, and s3:AbortMultipartUpload to be aborted', async () => {
    const model = edgeModel([
      ...STATEMENTS,
      { Effect: 'Deny', Action: ['s3:AbortMultipartUpload'], Resource: ['*'] },
    ]);
    const narrow = await testEdge({ model, stateDirectory: directory.path });
    const client = clients(narrow, 'CreatePost').s3;
    const reader = clients(narrow, 'media-reader').s3;
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'narrow' }));

    const aborted = client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'narrow', UploadId }));
    const begun = reader.send(new CreateMultipartUploadCommand({ Bucket, Key: 'narrow' }));

    await expect(aborted).rejects.toMatchObject({
      name: 'AccessDenied',
      message: expect.stringContaining('s3:AbortMultipartUpload'),
    });
    await expect(begun).rejects.toMatchObject({ message: expect.stringContaining('s3:PutObject') });
    await narrow.stop();
  });
});
