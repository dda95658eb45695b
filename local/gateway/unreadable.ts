import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from './error-answer.ts';

/** API Gateway allows 10,240 bytes for request line and headers together. */
export const HEADER_LIMIT_BYTES = 10_240;

/** Answers, on the bare connection, what does not read as an HTTP request. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, body } =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? errorBody(
          'headers_too_large',
          `request line and headers may have ${HEADER_LIMIT_BYTES} bytes together`,
        )
      : errorBody('invalid_request', 'this is not an HTTP/1.1 request');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
