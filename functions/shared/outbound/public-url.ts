import { isIP } from 'node:net';
import { isPublicName } from './host-name.ts';
import { isPublicAddress } from './public-address.ts';

/** The one text clients see for a URL refused for where it leads, so that it tells nothing about what lies behind it. */
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

/** A URL that may be requested. `reason` is for logs; see {@link writtenFault} for what clients may hear of it. */
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
  const url = readUrl(raw);
  if (typeof url === 'string') return refused(url);

  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const loopback = rules.loopback === 'allowed' ? loopbackDestination(host) : undefined;
  if (loopback !== undefined) return { outcome: 'public', url, destination: loopback };

  const fault = schemeOrPortFault(url);
  if (fault !== undefined) return refused(fault);
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host)) return refused('address');
    return { outcome: 'public', url, destination: { kind: 'address', address: host } };
  }
  if (!isPublicName(host)) return refused('host name');
  if (rules.ownHosts?.includes(host)) return refused('own host');
  return { outcome: 'public', url, destination: { kind: 'name', name: host } };
}

/**
 * What is wrong with a URL as it is written, for the one who wrote it. Where it leads does not matter here: of
 * that, clients hear {@link PUBLIC_URL_RULE} alone.
 */
export function writtenFault(raw: string): string | undefined {
  const url = readUrl(raw);
  return typeof url === 'string' ? url : schemeOrPortFault(url);
}

/** The URL, or why its text is none that is taken. */
function readUrl(raw: string): URL | string {
  if (raw.length > MAX_URL_LENGTH) return `it has more than ${MAX_URL_LENGTH} characters`;
  if (AMBIGUOUS_TEXT.test(raw))
    return 'it holds a space, a backslash or an invisible character, which must be percent-encoded';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(raw)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'it does not begin with https://';
  if (scheme !== 'https' && scheme !== 'http') return schemeFault(scheme);
  if (/^[^/]*\/\/[^/?#]*@/.test(raw)) return 'it holds a user name or password';
  if (!PLAIN_START.test(raw)) {
    return 'its host is not plain after https://: letters of ASCII, digits, dots and hyphens (xn-- for other scripts)';
  }
  return URL.parse(raw) ?? 'its host or port is none that there can be';
}

function schemeOrPortFault(url: URL): string | undefined {
  if (url.protocol !== 'https:') return schemeFault(url.protocol.slice(0, -1));
  return url.port === '' ? undefined : `its port is ${url.port}, and only 443 is taken`;
}

const schemeFault = (scheme: string): string =>
  `its scheme is ${scheme.slice(0, 20)}, and only https is taken`;

/** `localhost` is not resolved: it means this machine whatever a resolver says. */
function loopbackDestination(host: string): Destination | undefined {
  if (host === 'localhost') return { kind: 'name', name: host };
  const isLoopback = host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return isLoopback ? { kind: 'address', address: host } : undefined;
}

function refused(reason: string): PublicUrl {
  return { outcome: 'refused', reason };
}
