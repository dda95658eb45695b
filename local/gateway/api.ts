import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Invocation } from '../functions/invocation.ts';
import type { FunctionRuntime } from '../functions/runtime.ts';
import type { RouteModel } from '../service-model.ts';
import { answerError } from './error-answer.ts';
import { sendFunctionAnswer } from './function-answer.ts';
import { httpEvent, splitTarget } from './http-event.ts';
import { readBody } from './read-body.ts';
import { routeTable } from './routes.ts';

/** The limits of an HTTP API and of the functions behind it (quotas of API Gateway and of Lambda). */
export const API_LIMITS = {
  requestBodyBytes: 10 * 1024 * 1024,
  functionEventBytes: 6 * 1024 * 1024,
  integrationTimeoutMs: 30_000,
} as const;

/** Answers a request; for one part of the public server. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The HTTP API of the template: what API Gateway does between a client and a function. */
export function apiHandler(options: {
  readonly routes: readonly RouteModel[];
  readonly runtime: FunctionRuntime;
  /** @default 30 s, as API Gateway */
  readonly integrationTimeoutMs?: number;
}): RequestHandler {
  const { runtime, integrationTimeoutMs = API_LIMITS.integrationTimeoutMs } = options;
  const findRoute = routeTable(options.routes);
  return async (request, response) => {
    const [path] = splitTarget(request.url ?? '/');
    const match = findRoute(request.method ?? 'GET', path);
    const body = await readBody(request, API_LIMITS.requestBodyBytes);
    if (body === 'aborted') return;
    if (body === 'too large' || !match) {
      if (match) answerError(response, 'payload_too_large', tooLarge('10 MB'));
      else answerError(response, 'not_found', `there is no ${request.method} ${path}`);
      return;
    }
    const requestId = randomUUID();
    const event = JSON.stringify(httpEvent({ request, requestId, match, body, nowMs: Date.now() }));
    if (Buffer.byteLength(event) > API_LIMITS.functionEventBytes) {
      answerError(response, 'payload_too_large', tooLarge('6 MB, 4.4 MB where it is not text'));
      return;
    }
    const invocation = await within(
      integrationTimeoutMs,
      runtime.invoke(match.route.functionId, event, requestId),
      { outcome: 'timed out', requestId } as const,
    );
    answer(invocation, response, requestId);
  };
}

function answer(invocation: Invocation, response: ServerResponse, requestId: string): void {
  switch (invocation.outcome) {
    case 'answered':
      if (sendFunctionAnswer(invocation.payload, response, requestId)) break;
      answerError(response, 'internal_error', `request ${requestId} got no readable answer`);
      break;
    case 'failed':
      answerError(response, 'internal_error', `request ${requestId} failed; try again`);
      break;
    case 'crashed':
    case 'timed out':
      answerError(response, 'unavailable', `request ${requestId} was interrupted; try again`);
      break;
  }
}

function tooLarge(limit: string): string {
  return `the request is too large: its body may have ${limit}; upload files through POST /media/upload-url`;
}

async function within<T>(limitMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(otherwise), limitMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
