import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

/** A server of a test, closed with it. */
export interface TestServer {
  readonly port: number;
  /** How many connections it has accepted. */
  connections(): number;
}

/** Starts a TCP server on a loopback address, for the test that calls it. */
export async function tcpServer(
  onConnection: (socket: Socket) => void,
  address = '127.0.0.1',
): Promise<TestServer> {
  return started(createServer(onConnection), address);
}

/** The same, with TLS. */
export async function tlsServer(
  options: TlsOptions,
  onConnection: (socket: Socket) => void,
): Promise<TestServer> {
  return started(createTlsServer(options, onConnection), '127.0.0.1');
}

/** A server that answers each connection with these bytes once it has read a request's head, and closes. */
export async function answeringServer(answer: string | Buffer, keepsOpen = false): Promise<TestServer> {
  return tcpServer((socket) => {
    socket.once('data', () => (keepsOpen ? socket.write(answer) : socket.end(answer)));
  });
}

/** Counts connections and answers none; `undefined` where the machine has no such address. */
export async function canary(address: '127.0.0.1' | '::1', port = 0): Promise<TestServer | undefined> {
  const server = createServer((socket) => socket.destroy());
  return started(server, address, port).catch(() => undefined);
}

async function started(server: Server, address: string, port = 0): Promise<TestServer> {
  let connections = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}); // clients are cut off on purpose here
  });
  server.on('secureConnection', (socket) => socket.on('error', () => {}));
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  return { port: bound.port, connections: () => connections };
}
