import { type AddressInfo, createServer } from 'node:net';

/**
 * A loopback port that was free a moment ago. For a server whose address others must know before it
 * starts; should somebody take the port meanwhile, the caller tries another.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
