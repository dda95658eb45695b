import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, it } from 'vitest';
import { storeInParts } from '../../functions/media/part-store.ts';

const MEBIBYTE = 1024 * 1024;
const client = new S3Client({ region: 'eu-west-1' });
const s3 = mockClient(client);
const object = { Bucket: 'media', Key: 'film', ContentType: 'video/mp4', IfNoneMatch: '*' };

afterEach(() => s3.reset());

/** A bucket that reads each part slowly, as a network would, and refuses what S3 would refuse. */
function bucket() {
  const parts = new Map<number, Buffer>();
  const memory = new Set<ArrayBufferLike>();
  s3.on(CreateMultipartUploadCommand).resolves({ UploadId: 'one' });
  s3.on(UploadPartCommand).callsFake(async ({ PartNumber, Body }) => {
    memory.add(Body.buffer);
    await sleep(PartNumber === 1 ? 30 : 5);
    parts.set(PartNumber, Buffer.from(Body));
    return { ETag: `part-${PartNumber}` };
  });
  s3.on(CompleteMultipartUploadCommand).callsFake(async ({ MultipartUpload }) => {
    const named = MultipartUpload.Parts.map(({ PartNumber }: { PartNumber: number }) => PartNumber);
    expect(named).toEqual([...parts.keys()].toSorted((one, other) => one - other));
    return { ETag: 'whole' };
  });
  s3.on(PutObjectCommand).resolves({ ETag: 'at once' });
  s3.on(AbortMultipartUploadCommand).resolves({});
  const whole = () =>
    Buffer.concat([...parts].toSorted(([one], [other]) => one - other).map(([, each]) => each));
  return { memory, whole };
}

async function* inPieces(file: Buffer, pieceBytes: number) {
  for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes);
}

describe('an upload in parts', () => {
  it('writes all bytes in their order, and takes the memory of three parts for any number', async () => {
    const { memory, whole } = bucket();
    const file = randomBytes(43 * MEBIBYTE);

    const etag = await storeInParts(client, object, inPieces(file, 100_003));

    expect(etag).toBe('whole');
    expect(whole().equals(file)).toBe(true);
    expect(s3.commandCalls(UploadPartCommand)).toHaveLength(6);
    expect(memory.size).toBe(3);
    const { input } = s3.commandCalls(CompleteMultipartUploadCommand)[0]?.args[0] ?? {};
    expect(input).toMatchObject({ IfNoneMatch: '*', UploadId: 'one' });
  });

  it('takes chunks of any length, and a body that ends with a part', async () => {
    const { whole } = bucket();
    const file = randomBytes(24 * MEBIBYTE);

    await storeInParts(client, object, inPieces(file, 20 * MEBIBYTE));

    expect(whole().equals(file)).toBe(true);
    expect(s3.commandCalls(UploadPartCommand)).toHaveLength(3);
  });

  it.each([0, 1000])('sends %d bytes as one object, under the same condition', async (bytes) => {
    bucket();

    expect(await storeInParts(client, object, inPieces(randomBytes(bytes), 300))).toBe('at once');

    expect(s3.calls()).toHaveLength(1);
    const { input } = s3.commandCalls(PutObjectCommand)[0]?.args[0] ?? {};
    expect(input).toMatchObject({ IfNoneMatch: '*', Body: expect.objectContaining({ length: bytes }) });
  });

  it('leaves nothing behind when its body breaks off, and ends the body when a part is refused', async () => {
    bucket();
    const cut = new Error('cut off');
    let isEnded = false;
    async function* body(failsAt: number) {
      try {
        for (let piece = 0; piece < 40; piece += 1) {
          if (piece === failsAt) throw cut;
          yield randomBytes(MEBIBYTE);
        }
      } finally {
        isEnded = true;
      }
    }

    await expect(storeInParts(client, object, body(20))).rejects.toBe(cut);
    expect(s3.commandCalls(AbortMultipartUploadCommand)).toHaveLength(1);
    isEnded = false;
    s3.on(UploadPartCommand).rejects(cut);
    await expect(storeInParts(client, object, body(99))).rejects.toBe(cut);

    expect(isEnded).toBe(true);
    expect(s3.commandCalls(AbortMultipartUploadCommand)).toHaveLength(2);
    expect(s3.commandCalls(CompleteMultipartUploadCommand)).toHaveLength(0);
    expect(s3.commandCalls(UploadPartCommand).length).toBeLessThan(7);
  });

  it('whose object is there already takes its parts away', async () => {
    bucket();
    const refused = new S3ServiceException({
      ...{ name: 'PreconditionFailed', $fault: 'client', $metadata: {} },
    });
    s3.on(CompleteMultipartUploadCommand).rejects(refused);

    const upload = storeInParts(client, object, inPieces(randomBytes(9 * MEBIBYTE), MEBIBYTE));

    await expect(upload).rejects.toBe(refused);
    expect(s3.commandCalls(AbortMultipartUploadCommand)).toHaveLength(1);
  });
});
