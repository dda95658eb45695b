import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** The parts of an upload of unknown length: at most 10,000 of at least 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;

/** Each has a buffer of its own, which it fills, sends and fills again: a gigabyte takes no more memory than these. */
const SENDERS = 3;

/** One part in its sender's buffer; the next one overwrites it. */
interface Part {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/**
 * Writes bytes of unknown number as one object and returns its ETag; what fits in one part goes up as it is. A
 * body that breaks off, or a condition that does not hold, takes the parts sent so far with it. The SDK's own
 * way collects each part in new memory, of which a long transfer leaves much to be cleaned up.
 */
export async function storeInParts(
  client: S3Client,
  params: Omit<PutObjectCommandInput, 'Body'>,
  body: AsyncIterable<Uint8Array>,
): Promise<string> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    const next = partsOf(chunks);
    const buffer = newBuffer();
    const first = await next(buffer);
    if (first.bytes.length < PART_BYTES) {
      const { ETag = '' } = await client.send(new PutObjectCommand({ ...params, Body: first.bytes }));
      return ETag;
    }
    return await sendParts(client, params, { buffer, first, next });
  } finally {
    await chunks.return?.();
  }
}

/** Touched by the system only as far as it is filled. */
const newBuffer = (): Buffer => Buffer.allocUnsafeSlow(PART_BYTES);

interface Sending {
  readonly buffer: Buffer;
  readonly first: Part;
  readonly next: (buffer: Buffer) => Promise<Part>;
}

async function sendParts(
  client: S3Client,
  { IfNoneMatch, ...described }: Omit<PutObjectCommandInput, 'Body'>,
  { buffer, first, next }: Sending,
): Promise<string> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(described));
  const upload = { Bucket: described.Bucket, Key: described.Key, UploadId };
  const sent: { PartNumber: number; ETag: string | undefined }[] = [];
  let isBroken = false;
  const sendAll = async (own: Buffer, filled?: Part) => {
    try {
      for (let part = filled ?? (await next(own)); part.bytes.length > 0; part = await next(own)) {
        if (isBroken) return;
        const { ETag } = await client.send(
          new UploadPartCommand({ ...upload, PartNumber: part.number, Body: part.bytes }),
        );
        sent.push({ PartNumber: part.number, ETag });
      }
    } catch (error) {
      isBroken = true;
      throw error;
    }
  };
  try {
    const others = Array.from({ length: SENDERS - 1 }, () => sendAll(newBuffer()));
    const ends = await Promise.allSettled([sendAll(buffer, first), ...others]);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    const Parts = sent.toSorted((one, other) => one.PartNumber - other.PartNumber);
    const { ETag = '' } = await client.send(
      new CompleteMultipartUploadCommand({ ...upload, IfNoneMatch, MultipartUpload: { Parts } }),
    );
    return ETag;
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload));
    throw error;
  }
}

/** Fills a buffer with a body's next bytes, to its end as long as there are any. Those who ask meanwhile wait for their turn. */
function partsOf(chunks: AsyncIterator<Uint8Array>): (buffer: Buffer) => Promise<Part> {
  let number = 0;
  let rest: Uint8Array = new Uint8Array();
  let turn: Promise<unknown> = Promise.resolve();
  const fill = async (buffer: Buffer): Promise<Part> => {
    let filled = 0;
    while (filled < buffer.length) {
      if (rest.length === 0) {
        const chunk = await chunks.next();
        if (chunk.done) break;
        rest = chunk.value;
      }
      const taken = rest.subarray(0, buffer.length - filled);
      buffer.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
    }
    number += 1;
    return { number, bytes: buffer.subarray(0, filled) };
  };
  return (buffer) => {
    const filling = turn.then(() => fill(buffer));
    turn = filling.catch(() => {});
    return filling;
  };
}
