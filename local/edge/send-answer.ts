import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './call.ts';

/** Writes an answer; a body that streams is passed on as it comes. */
export async function sendAnswer(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  if (response.destroyed) {
    if (body instanceof Readable) body.destroy();
    return;
  }
  if (body instanceof Readable) {
    response.writeHead(status, headers);
    // The reader may leave in the middle of a download; that is its right.
    await pipeline(body, response).catch(() => response.destroy());
    return;
  }
  response.writeHead(
    status,
    body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
  );
  response.end(body);
}
