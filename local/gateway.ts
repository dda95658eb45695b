import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from './gateway/api.ts';
import { answerError } from './gateway/error-answer.ts';
import { HEADER_LIMIT_BYTES, refuseUnreadable } from './gateway/unreadable.ts';
import { StartupError } from './startup-error.ts';

/** The one public server. It listens before there is anything to answer with, so that its address is known. */
export interface Gateway {
  readonly port: number;
  /** Begins to answer; until then every request gets a 503. The longest matching prefix wins. */
  open(handlers: Readonly<Record<string, RequestHandler>>): void;
  /** Stops listening, waits for answers under way, and closes what is left after a moment. */
  close(): Promise<void>;
}

/** How long answers under way may take once the service is told to stop. */
const CLOSE_AFTER_MS = 5000;

/**
 * Listens on loopback alone, in both address families where the machine has both, since `localhost` may
 * mean either.
 *
 * @throws {StartupError} when the port is taken
 */
export async function listen(port: number): Promise<Gateway> {
  let handlers: Readonly<Record<string, RequestHandler>> | undefined;
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const handler = handlers ? handlerFor(handlers, request.url ?? '/') : starting;
    handler(request, response).catch((error: unknown) => {
      console.error(`${request.method} ${request.url}:`, error);
      answerError(response, 'internal_error', 'the local service failed; its terminal says why');
    });
  };
  const servers = [newServer(serve), newServer(serve)] as const;
  const [first, second] = servers;
  await listening(first, port, '127.0.0.1');
  const address = first.address() as AddressInfo;
  await listening(second, address.port, '::1').catch((error: unknown) => {
    // A machine without IPv6 is no trouble; somebody else on our port is, as `localhost` may mean them.
    if (error instanceof StartupError && port !== 0) throw error;
  });
  return {
    port: address.port,
    open: (opened) => {
      handlers = opened;
    },
    close: async () => void (await Promise.all(servers.map(closed))),
  };
}

function newServer(serve: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const server = createServer({ maxHeaderSize: HEADER_LIMIT_BYTES, keepAliveTimeout: 60_000 }, serve);
  server.on('clientError', refuseUnreadable);
  return server;
}

function handlerFor(handlers: Readonly<Record<string, RequestHandler>>, target: string): RequestHandler {
  const prefixes = Object.keys(handlers).sort((a, b) => b.length - a.length);
  const prefix = prefixes.find((each) => target.startsWith(each));
  return (prefix !== undefined && handlers[prefix]) || nothingThere;
}

const starting: RequestHandler = async (_, response) =>
  answerError(response, 'unavailable', 'the service is starting');

const nothingThere: RequestHandler = async (request, response) =>
  answerError(response, 'not_found', `there is nothing at ${request.url}`);

async function listening(server: Server, port: number, host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve).once('error', reject).listen(port, host);
  await promise.catch((error: Error & { code?: string }) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new StartupError(
      `port ${port} is taken: stop what listens there, or choose another with PORT=3001 npm start`,
    );
  });
}

function closed(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_AFTER_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
