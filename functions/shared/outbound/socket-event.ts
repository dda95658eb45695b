import type { Socket } from 'node:net';

/** Why an event of a socket did not come. `detail` is the system's error code, never an address. */
export type SocketFailure =
  | { outcome: 'timeout' }
  | { outcome: 'aborted' }
  | { outcome: 'failed'; detail?: string | undefined };

/** How the wait for an event of a socket ended. */
export type SocketEvent = { outcome: 'happened' } | SocketFailure;

/** Waits for a socket to connect or to finish its handshake, for so long at most. */
export function socketEvent(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<SocketEvent> {
  return new Promise((resolve) => {
    const settle = (outcome: SocketEvent) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(outcome);
    };
    const abort = () => settle({ outcome: 'aborted' });
    const timer = setTimeout(() => settle({ outcome: 'timeout' }), limitMs);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    socket.once(event, () => settle({ outcome: 'happened' }));
    // stays for the socket's life: an error after the wait, without a listener, would end the process
    socket.on('error', (error: NodeJS.ErrnoException) => settle({ outcome: 'failed', detail: error.code }));
    socket.once('close', () => settle({ outcome: 'failed', detail: 'closed' }));
  });
}
