import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { AwsError } from './aws-error.ts';
import type { Answer } from './call.ts';
import { readAll } from './read-all.ts';

/** Passes a call on to the engine behind a service and brings back its answer. */
export type ForwardTo = (request: IncomingMessage, body: Buffer) => Promise<Answer>;

/** What the engine looks at; the rest concerns the client and us. */
const FORWARDED = ['content-type', 'x-amz-target', 'x-amz-date', 'authorization'];

/** A forwarder to one endpoint over connections that stay open. */
export function forwardTo(endpoint: string): { readonly forward: ForwardTo; close(): void } {
  const { hostname, port } = new URL(endpoint);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  const forward: ForwardTo = (request, body) =>
    new Promise((resolve, reject) => {
      const headers = {
        ...Object.fromEntries(FORWARDED.map((name) => [name, request.headers[name]])),
        'content-length': body.length,
      };
      const outgoing = httpRequest(
        { agent, hostname, port, path: request.url, method: request.method, headers },
        (incoming) => {
          readAll(incoming).then(
            (bytes) => resolve({ status: incoming.statusCode ?? 502, headers: kept(incoming), body: bytes }),
            reject,
          );
        },
      );
      outgoing.on('error', (cause) => reject(unreachable(endpoint, cause)));
      outgoing.end(body);
    });

  return { forward, close: () => agent.destroy() };
}

function kept({ headers }: IncomingMessage): Record<string, string> {
  return {
    'content-type': headers['content-type'] ?? 'application/x-amz-json-1.0',
    'x-amzn-requestid': String(headers['x-amzn-requestid'] ?? ''),
  };
}

function unreachable(endpoint: string, cause: Error): AwsError {
  return new AwsError(
    'InternalServerError',
    `the engine at ${endpoint} did not answer: ${cause.message}`,
    500,
  );
}
