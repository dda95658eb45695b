import { connect, type Socket } from 'node:net';
import { type AddressResolver, dnsResolver } from './resolve.ts';

/** Opens a TCP connection to an address, never to a name. */
export type Dial = (to: { address: string; port: number }) => Socket;

/** The world outside, as far as a request touches it. Tests put their own in its place. */
export interface Network {
  readonly newResolver: () => AddressResolver;
  readonly dial: Dial;
  /** Certificate authorities to trust. @default Node's own list */
  readonly authorities?: string;
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The internet itself. */
export const INTERNET: Network = {
  newResolver: dnsResolver,
  dial: ({ address, port }) => connect({ host: address, port, autoSelectFamily: false }),
  now: Date.now,
};
