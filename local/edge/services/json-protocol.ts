import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AwsError } from '../aws-error.ts';
import type { Answer, EdgeService } from '../call.ts';
import type { Json } from '../json.ts';

/** The operation of an AWS JSON call: what follows the service's prefix in `x-amz-target`. */
export function targetOf(request: IncomingMessage, prefix: string): string {
  const target = String(request.headers['x-amz-target'] ?? '');
  if (target.startsWith(prefix)) return target.slice(prefix.length);
  throw new AwsError('UnknownOperationException', `expected a target of ${prefix}*, got "${target}"`);
}

/** An answer of the AWS JSON protocols. */
export function jsonAnswer(body: unknown, contentType = 'application/x-amz-json-1.0', status = 200): Answer {
  return {
    status,
    headers: { 'content-type': contentType, 'x-amzn-requestid': randomUUID() },
    body: JSON.stringify(body),
  };
}

/** Errors of the AWS JSON protocols: the name in `__type`, below the service's namespace. */
export function jsonRefusal(namespace: string, contentType?: string): EdgeService['refusal'] {
  return ({ code, message, status, details }) =>
    jsonAnswer({ __type: `${namespace}${code}`, message, ...(details as Json) }, contentType, status);
}
