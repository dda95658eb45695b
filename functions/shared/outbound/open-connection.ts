import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Network } from './network.ts';
import type { OutboundLimits } from './outbound-limits.ts';
import { isSameAddress } from './public-address.ts';
import { type SocketFailure, socketEvent } from './socket-event.ts';

/** A connection ready for the first byte of a request, or why there is none: nothing was sent then. */
export type Connection =
  | { outcome: 'open'; socket: Socket }
  | { outcome: 'failed'; code: ConnectFailure; detail?: string | undefined }
  | { outcome: 'blocked'; reason: string };

/** Why no connection came about. */
export type ConnectFailure = 'connect_failed' | 'connect_timeout' | 'tls_failed' | 'tls_timeout' | 'deadline';

/** Where to connect: addresses already approved, and the name the certificate must be for. */
export interface ConnectionTarget {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly hostName: string;
  readonly isTls: boolean;
}

interface Terms {
  readonly network: Network;
  readonly limits: OutboundLimits;
  readonly signal: AbortSignal;
}

/** Connects to the first approved address that accepts; no other address is ever dialled. */
export async function openConnection(target: ConnectionTarget, terms: Terms): Promise<Connection> {
  let last: Connection = { outcome: 'failed', code: 'connect_failed' };
  for (const address of target.addresses.slice(0, terms.limits.maxAddresses)) {
    last = await dialOne(address, target.port, terms);
    if (last.outcome === 'open') return target.isTls ? secure(last.socket, target.hostName, terms) : last;
    if (last.outcome === 'blocked' || last.code === 'deadline') return last;
  }
  return last;
}

async function dialOne(address: string, port: number, terms: Terms): Promise<Connection> {
  const socket = terms.network.dial({ address, port });
  const event = await socketEvent(socket, 'connect', {
    limitMs: terms.limits.connectMs,
    signal: terms.signal,
  });
  if (event.outcome !== 'happened') return given(event, socket, 'connect');
  if (isSameAddress(socket.remoteAddress, address)) return { outcome: 'open', socket };
  socket.destroy();
  return { outcome: 'blocked', reason: 'connected to another address than the approved one' };
}

/** TLS 1.2 or later with a certificate for the name, HTTP/1.1 only, whatever the environment says. */
async function secure(plain: Socket, hostName: string, terms: Terms): Promise<Connection> {
  const socket = connectTls({
    socket: plain,
    host: hostName,
    servername: isAddress(hostName) ? '' : hostName,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(terms.network.authorities === undefined ? {} : { ca: terms.network.authorities }),
  });
  const event = await socketEvent(socket, 'secureConnect', {
    limitMs: terms.limits.tlsMs,
    signal: terms.signal,
  });
  return event.outcome === 'happened' ? { outcome: 'open', socket } : given(event, socket, 'tls');
}

function given(event: SocketFailure, socket: Socket, phase: 'connect' | 'tls'): Connection {
  socket.destroy();
  switch (event.outcome) {
    case 'timeout':
      return { outcome: 'failed', code: `${phase}_timeout` };
    case 'aborted':
      return { outcome: 'failed', code: 'deadline' };
    case 'failed':
      return { outcome: 'failed', code: `${phase}_failed`, detail: event.detail };
  }
}

/** Server names are names only (RFC 6066): an address is checked against the certificate, but not sent. */
function isAddress(hostName: string): boolean {
  return hostName.includes(':') || /^[\d.]+$/.test(hostName);
}
