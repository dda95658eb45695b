import type { IncomingMessage } from 'node:http';

/** A body larger than its limit is let through and thrown away up to this many bytes, so its sender gets to read the answer. */
const DISCARD_LIMIT_BYTES = 64 * 1024 * 1024;

/** Reads a body; 'too large' as soon as that is known, 'aborted' when the client went away. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | 'too large' | 'aborted'> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    discard(request);
    return 'too large';
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const take = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take);
      discard(request);
      resolve('too large');
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => resolve('aborted'));
    request.once('close', () => resolve('aborted'));
  });
}

function discard(request: IncomingMessage): void {
  let sizeBytes = 0;
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > DISCARD_LIMIT_BYTES) request.destroy();
  });
}
