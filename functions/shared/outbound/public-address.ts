import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses inside a public range that answer only from within a cloud: Azure's host (WireServer, DNS). */
const DENIED_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Global unicast (RFC 4291): IPv6 is an allow-list, so whatever IANA has not yet given out is refused. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet. Only canonical texts are understood, so no spelling
 * (`127.1`, `::1%eth0`) means one thing here and another to the system call; everything else is not public.
 *
 * All forms of IPv6 that carry an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) are refused,
 * even where the address inside is public: which host they reach is up to the network in between.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || DENIED_ADDRESSES.has(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Whether two texts name the same address, in whatever spelling the system reports it. */
export function isSameAddress(one: string | undefined, other: string): boolean {
  if (one === undefined || isIP(one) === 0) return false;
  return ipaddr.parse(one).toNormalizedString() === ipaddr.parse(other).toNormalizedString();
}
