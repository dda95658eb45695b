import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { RequestError } from '../request-error.ts';

/** A request as the endpoints see it, whatever the gateway's event looks like. */
export interface HttpRequest {
  readonly id: string;
  readonly method: string;
  /** The path below the version prefix, with its ids: `/posts/0199…`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  readonly contentType: string;
  body(): Uint8Array;
}

/** The version prefix all routes share. */
export const API_PREFIX = '/api/v1';

/** Reads an HTTP API event (payload format 2.0: header names are lower case, repeated ones joined by commas). */
export function readRequest(event: APIGatewayProxyEventV2): HttpRequest {
  const header = (name: string) => event.headers[name];
  return {
    id: event.requestContext.requestId,
    method: event.requestContext.http.method,
    path: event.rawPath.startsWith(API_PREFIX) ? event.rawPath.slice(API_PREFIX.length) : event.rawPath,
    params: Object.fromEntries(
      Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, value ?? '']),
    ),
    query: new URLSearchParams(event.rawQueryString),
    header,
    contentType: (header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    body: () => Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** Decodes a body that must be UTF-8. @throws {RequestError} invalid_request where it is not. */
export function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    if (error instanceof TypeError) throw new RequestError('invalid_request', 'the body is not valid UTF-8');
    throw error;
  }
}
