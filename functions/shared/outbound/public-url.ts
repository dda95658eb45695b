import { isIP } from 'node:net';
import { isPublicName } from './host-name.ts';
import { isPublicAddress } from './public-address.ts';

/** The one text clients see for a refused URL, so that it tells nothing about what lies behind it. */
export const PUBLIC_URL_RULE =
  'the URL must be a public https URL: a public host name or address, port 443, no user name or password, at most 2048 characters';

/** What else is let through where loopback is allowed. */
export const LOOPBACK_URL_RULE = 'or one of this machine, such as http://localhost:3000/hook';

/** The longest URL accepted, in UTF-16 units of its raw text. */
const MAX_URL_LENGTH = 2048;

/** Spaces, controls and backslashes: parsers disagree about them, so they never reach one. */
const AMBIGUOUS_TEXT = /[\s\p{Cc}\p{Cf}\\]/u;

/** A scheme and an authority of plain ASCII, without escapes or user: international names come as punycode. */
const PLAIN_START = /^https?:\/\/[a-z0-9._:[\]-]+(?:[/?#]|$)/i;

/** Where a checked URL leads: a name to resolve, or an address to dial as it is. */
export type Destination = { kind: 'name'; name: string } | { kind: 'address'; address: string };

/** A URL that may be requested. `reason` is for logs; clients get {@link PUBLIC_URL_RULE}. */
export type PublicUrl =
  | { outcome: 'public'; url: URL; destination: Destination }
  | { outcome: 'refused'; reason: string };

/** What differs between callers. */
export interface UrlRules {
  /** Lets plain http and any port through to this machine's loopback; for the local service alone. @default refused */
  readonly loopback?: 'allowed' | undefined;
  /** Our own public hosts, which must not be made to call themselves. @default none */
  readonly ownHosts?: readonly string[];
}

/**
 * Judges a URL a client gave, from its raw text to its host. The address behind a name is judged when it
 * is resolved, for each request anew: see {@link resolvePublic}.
 */
export function publicUrl(raw: string, rules: UrlRules = {}): PublicUrl {
  if (raw.length > MAX_URL_LENGTH) return refused('too long');
  if (AMBIGUOUS_TEXT.test(raw)) return refused('ambiguous characters');
  if (!PLAIN_START.test(raw)) return refused('not a plain URL with a scheme and a host');
  const url = URL.parse(raw);
  if (url === null) return refused('not a URL');

  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const loopback = rules.loopback === 'allowed' ? loopbackDestination(host) : undefined;
  if (loopback !== undefined) return { outcome: 'public', url, destination: loopback };

  if (url.protocol !== 'https:') return refused('scheme');
  if (url.port !== '') return refused('port');
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host)) return refused('address');
    return { outcome: 'public', url, destination: { kind: 'address', address: host } };
  }
  if (!isPublicName(host)) return refused('host name');
  if (rules.ownHosts?.includes(host)) return refused('own host');
  return { outcome: 'public', url, destination: { kind: 'name', name: host } };
}

/** `localhost` is not resolved: it means this machine whatever a resolver says. */
function loopbackDestination(host: string): Destination | undefined {
  if (host === 'localhost') return { kind: 'name', name: host };
  const isLoopback = host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return isLoopback ? { kind: 'address', address: host } : undefined;
}

function refused(reason: string): PublicUrl {
  return { outcome: 'refused', reason };
}
