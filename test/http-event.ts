import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

/** What a test says of a request; all else is as an HTTP API would send it. */
export interface Sent {
  readonly method?: string;
  /** Below the version prefix. */
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An event of an HTTP API, payload format 2.0; bytes come in base64, as the gateway sends them. */
export function httpEvent({
  method = 'GET',
  path = '/x',
  query = '',
  headers = {},
  params,
  body,
}: Sent): APIGatewayProxyEventV2 {
  const routeKey = `${method} /api/v1${Object.entries(params ?? {}).reduce((route, [name, value]) => route.replace(value, `{${name}}`), path)}`;
  const isBase64Encoded = body instanceof Uint8Array;
  return {
    version: '2.0',
    routeKey,
    rawPath: `/api/v1${path}`,
    rawQueryString: query,
    headers: { ...headers },
    pathParameters: params && { ...params },
    body: isBase64Encoded ? Buffer.from(body).toString('base64') : body,
    isBase64Encoded,
    requestContext: {
      accountId: '000000000000',
      apiId: 'api',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: {
        method,
        path: `/api/v1${path}`,
        protocol: 'HTTP/1.1',
        sourceIp: '192.0.2.1',
        userAgent: 'test',
      },
      requestId: 'request-1',
      routeKey,
      stage: '$default',
      time: '01/May/2026:09:00:00 +0000',
      timeEpoch: 0,
    },
  };
}

/** An answer, its body read. */
export interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into an answer as a client would, without a type
  readonly json: any;
}

/** Calls a handler as Lambda does. */
export async function answerOf(
  handler: (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>,
  sent: Sent,
): Promise<Answered> {
  const {
    statusCode,
    headers = {},
    body = '',
  } = await handler(httpEvent(sent), { awsRequestId: 'lambda-1' } as Context);
  return { status: statusCode, headers, text: body, json: JSON.parse(body) };
}
