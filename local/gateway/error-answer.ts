import type { ServerResponse } from 'node:http';

const STATUS = {
  invalid_request: 400,
  not_found: 404,
  payload_too_large: 413,
  range_not_satisfiable: 416,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const;

/** The codes of errors that the gateway itself answers with. */
export type GatewayErrorCode = keyof typeof STATUS;

/** The body of an error in the envelope all our errors share, with its status. */
export function errorBody(code: GatewayErrorCode, message: string): { status: number; body: string } {
  return { status: STATUS[code], body: JSON.stringify({ error: { code, message } }) };
}

/** Answers with an error of the gateway's own. */
export function answerError(response: ServerResponse, code: GatewayErrorCode, message: string): void {
  const { status, body } = errorBody(code, message);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
