import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** A request as the endpoints see it, whatever the gateway's event looks like. */
export interface HttpRequest {
  readonly id: string;
  readonly method: string;
  /** The path below the version prefix, with its ids: `/posts/0199…`. */
  readonly path: string;
  /** The whole of it, as it was sent. */
  readonly sentPath: string;
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
    sentPath: event.rawPath,
    params: Object.fromEntries(
      Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, value ?? '']),
    ),
    query: new URLSearchParams(event.rawQueryString),
    header,
    contentType: (header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    body: () => Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}
