import type { IncomingMessage } from 'node:http';

const HEAD_END = Buffer.from('\r\n\r\n');

/** No form begins with a longer part head than this. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * How long a form's file will be, known from the request's length once the head of its one part has come:
 * storage must be told the length before the first byte. Only a guess, since a form may end in several ways;
 * undefined where there is nothing to go by.
 */
export function expectedFileBytes(request: IncomingMessage, contentType: string): () => number | undefined {
  const total = Number(request.headers['content-length'] ?? Number.NaN);
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  let head = Buffer.alloc(0);
  let headEnd = -1;
  const look = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk.subarray(0, MAX_HEAD_BYTES)]);
    headEnd = head.indexOf(HEAD_END);
    if (headEnd >= 0 || head.length >= MAX_HEAD_BYTES) request.off('data', look);
  };
  request.on('data', look);
  return () => {
    if (Number.isNaN(total) || boundary === undefined || headEnd < 0) return undefined;
    // As nearly all clients end a form: CRLF, two dashes, the boundary, two dashes, CRLF.
    const bytes = total - (headEnd + HEAD_END.length) - (boundary.length + 8);
    return bytes > 0 ? bytes : undefined;
  };
}
