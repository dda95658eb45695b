import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { RequestError } from '../request-error.ts';
import { logger, metrics } from '../telemetry.ts';
import { type HttpRequest, readRequest } from './http-request.ts';

/** An answer. `body` is the exact text sent: an answer that is replayed must be equal byte for byte. */
export interface HttpReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether `body` is bytes in base64. @default false */
  readonly isBase64Encoded?: boolean;
}

/** An answer of JSON. */
export const jsonReply = (status: number, body: unknown): HttpReply => ({
  status,
  body: JSON.stringify(body),
});

type Answer = (request: HttpRequest) => Promise<HttpReply>;

/** Headers of every answer: nothing here may be cached on the way or read as anything but its type. */
const STANDARD_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/**
 * The preset of all HTTP functions: one log line per request, and every failure in the one
 * envelope. A fault of ours is logged with its stack and answered 500 with nothing but the request's id.
 */
export function httpHandler(answer: Answer) {
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(async (event: APIGatewayProxyEventV2) => {
      const request = readRequest(event);
      const reply = await answer(request).catch((error: unknown) => refusal(error, request));
      logger.info('request answered', {
        route: event.routeKey,
        status: reply.status,
        request_id: request.id,
      });
      return {
        statusCode: reply.status,
        headers: { ...STANDARD_HEADERS, 'x-request-id': request.id, ...reply.headers },
        body: reply.body,
        isBase64Encoded: reply.isBase64Encoded ?? false,
      };
    });
}

/** The answer to a failure: the error's own envelope, or for a fault of ours a 500 that names only the request. */
export function refusal(error: unknown, request: HttpRequest): HttpReply {
  if (error instanceof RequestError) {
    return { ...jsonReply(error.status, error.envelope), headers: error.headers };
  }
  logger.error('request failed', { request_id: request.id, error: error as Error });
  metrics.addMetric('RequestFailed', 'Count', 1);
  metrics.publishStoredMetrics();
  const message = `something failed on our side; repeat the request with the same Idempotency-Key, and name request ${request.id} if it goes on`;
  return jsonReply(500, new RequestError('internal_error', message).envelope);
}
