import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { RouteMatch } from './routes.ts';

const TEXT_TYPES =
  /^(text\/[^;]*|application\/(json|xml|javascript|ecmascript|[^;]*\+json|[^;]*\+xml))\s*(;|$)/i;

/** What an HTTP API hands a function: the event of payload format 2.0. */
export function httpEvent(options: {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly match: RouteMatch;
  readonly body: Buffer;
  readonly nowMs: number;
}): APIGatewayProxyEventV2 {
  const { request, requestId, match, body, nowMs } = options;
  const [path = '/', query = ''] = splitTarget(request.url ?? '/');
  const { cookie, ...headers } = joinedHeaders(request.rawHeaders);
  const parameters = joinedParameters(query);
  const isText = TEXT_TYPES.test(headers['content-type'] ?? '') && isUtf8(body);
  const host = headers.host ?? 'localhost';
  return {
    version: '2.0',
    routeKey: match.routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: cookie.split(/[;,]\s*/) }),
    headers,
    ...(query !== '' && { queryStringParameters: parameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: host,
      domainPrefix: host.split('.')[0] ?? host,
      http: {
        method: request.method ?? 'GET',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: match.routeKey,
      stage: '$default',
      time: new Date(nowMs).toUTCString(),
      timeEpoch: nowMs,
    },
    ...(Object.keys(match.pathParameters).length > 0 && { pathParameters: { ...match.pathParameters } }),
    ...(body.length > 0 && { body: isText ? body.toString('utf8') : body.toString('base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** The path and the query of a request target, neither decoded. */
export function splitTarget(target: string): readonly [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

/** Names in lower case, repeated headers joined by a comma. */
function joinedHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    headers[name] = name in headers ? `${headers[name]},${value}` : value;
  }
  return headers;
}

function joinedParameters(query: string): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    parameters[name] = name in parameters ? `${parameters[name]},${value}` : value;
  }
  return parameters;
}
