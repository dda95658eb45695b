import { connect } from 'node:net';
import type { Network } from '../../functions/shared/outbound/network.ts';
import type { AddressResolver } from '../../functions/shared/outbound/resolve.ts';

/** What a name answers: addresses, an error code of DNS, or nothing at all. A list of these answers in turn; the last one stays. */
export type DnsAnswer = readonly string[] | { readonly code: string } | 'silence';

/** A world of a test's making: names it defines, and public addresses that lead to servers of its own. */
export interface FakeNetwork extends Network {
  /** Every address dialled, in order. */
  readonly dialled: string[];
  /** Every name asked for, once for each resolution. */
  readonly resolved: string[];
}

/** What to put into it. */
export interface FakeWorld {
  readonly names?: Readonly<Record<string, DnsAnswer | readonly [DnsAnswer, DnsAnswer]>>;
  /** Where an address really leads: a local port, as if the address had been reached. Others lead to `canaryPort`. */
  readonly routes?: Readonly<Record<string, number>>;
  /** What a connection says it is connected to, where that is not the address dialled. */
  readonly peers?: Readonly<Record<string, string>>;
  /** Where everything else leads, so that a forbidden dial is seen. */
  readonly canaryPort?: number;
  readonly authorities?: string;
}

/** Makes the world. */
export function fakeNetwork(world: FakeWorld): FakeNetwork {
  const dialled: string[] = [];
  const resolved: string[] = [];
  return {
    dialled,
    resolved,
    now: Date.now,
    ...(world.authorities === undefined ? {} : { authorities: world.authorities }),
    newResolver: () => fakeResolver(world, resolved),
    dial({ address }) {
      dialled.push(address);
      const route = world.routes?.[address];
      const socket =
        route === undefined ? connect(world.canaryPort ?? 1, address) : connect(route, '127.0.0.1');
      const peer = world.peers?.[address] ?? address;
      Object.defineProperty(socket, 'remoteAddress', { get: () => peer });
      return socket;
    },
  };
}

function fakeResolver(world: FakeWorld, resolved: string[]): AddressResolver {
  let stop = () => {};
  let answer: DnsAnswer | undefined;
  const ask = async (name: string, keeps: (address: string) => boolean): Promise<string[]> => {
    if (answer === undefined) {
      answer = answerFor(world, name.replace(/\.$/, ''), resolved.filter((one) => one === name).length);
      resolved.push(name);
    }
    if (answer === 'silence') {
      await new Promise<void>((resolve) => {
        stop = resolve;
      });
      throw Object.assign(new Error('cancelled'), { code: 'ECANCELLED' });
    }
    if ('code' in answer) throw Object.assign(new Error(answer.code), { code: answer.code });
    const kept = answer.filter(keeps);
    if (kept.length === 0) throw Object.assign(new Error('no such record'), { code: 'ENODATA' });
    return kept;
  };
  return {
    resolve4: (name) => ask(name, (address) => !address.includes(':')),
    resolve6: (name) => ask(name, (address) => address.includes(':')),
    cancel: () => stop(),
  };
}

function answerFor(world: FakeWorld, name: string, times: number): DnsAnswer {
  const answer = world.names?.[name] ?? { code: 'ENOTFOUND' };
  if (!Array.isArray(answer) || typeof answer[0] === 'string') return answer as DnsAnswer;
  return (answer[Math.min(times, 1)] ?? { code: 'ENOTFOUND' }) as DnsAnswer;
}
