import { describe, expect, it } from 'vitest';
import { dnsResolver, resolvePublic } from '../../functions/shared/outbound/resolve.ts';
import { type DnsAnswer, fakeNetwork } from './fake-network.ts';
import { NAMES_LEADING_INSIDE, PUBLIC_IPV4 } from './ssrf-corpus.ts';

const NAME = 'host.attacker.com';

async function resolve(answer: DnsAnswer, limitMs = 100) {
  const network = fakeNetwork({ names: { [NAME]: answer } });
  return resolvePublic(NAME, { resolver: network.newResolver(), limitMs });
}

describe('resolvePublic', () => {
  it('gives all addresses of a name, IPv4 first', async () => {
    const resolution = await resolve(['2606:4700:4700::1111', '93.184.216.34']);

    expect(resolution).toEqual({ outcome: 'resolved', addresses: ['93.184.216.34', '2606:4700:4700::1111'] });
  });

  it.each([
    ['loopback', ['127.0.0.1']],
    ['one private address among public ones', ['93.184.216.34', '10.0.0.5']],
    ['a private address of the other family', ['93.184.216.34', 'fd00::1']],
    ['an IPv4 address mapped into IPv6', ['::ffff:7f00:1']],
    ['an IPv4 address behind NAT64', ['64:ff9b::a9fe:a9fe']],
    ['the unspecified address', ['0.0.0.0']],
    ['64 addresses', Array.from({ length: 64 }, (_, at) => `93.184.216.${at + 1}`)],
    [
      '64 addresses, the last one private',
      [...Array.from({ length: 63 }, () => '93.184.216.34'), '10.0.0.1'],
    ],
    ['something that is no address', ['127.1']],
    ...Object.entries(NAMES_LEADING_INSIDE).map(([name, address]) => [name, [address]] as const),
  ] as const)('blocks %s', async (_, addresses) => {
    expect((await resolve(addresses)).outcome).toBe('blocked');
  });

  it('accepts as many as 16 public addresses', async () => {
    expect((await resolve(PUBLIC_IPV4.slice(0, 16))).outcome).toBe('resolved');
  });

  it.each(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED'])(
    'reports %s as a failure of DNS',
    async (code) => {
      expect(await resolve({ code })).toEqual({ outcome: 'unresolved', code: 'dns_failed', detail: code });
    },
  );

  it("reports the resolver's own time-out as one", async () => {
    expect(await resolve({ code: 'ETIMEOUT' })).toMatchObject({ code: 'dns_timeout' });
  });

  it('gives up on a server that stays silent', async () => {
    expect(await resolve('silence', 20)).toEqual({ outcome: 'unresolved', code: 'dns_timeout' });
  });

  it('asks for the absolute name, so no search domain is tried', async () => {
    const network = fakeNetwork({ names: { 'db.com': ['93.184.216.34'] } });

    await resolvePublic('db.com', { resolver: network.newResolver(), limitMs: 100 });

    expect(network.resolved).toEqual(['db.com.']);
  });

  it('does not hide a fault of its own', async () => {
    const resolver = {
      ...dnsResolver(),
      resolve4: () => Promise.reject(new TypeError('a bug')),
      resolve6: async () => [],
      cancel() {},
    };

    await expect(resolvePublic(NAME, { resolver, limitMs: 100 })).rejects.toThrow('a bug');
  });
});
