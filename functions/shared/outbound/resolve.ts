import { Resolver } from 'node:dns/promises';
import { isPublicAddress } from './public-address.ts';

/** More answers than any honest host gives (both families together) are refused rather than judged. */
const MAX_ANSWERS = 16;

/** What is asked of DNS; `node:dns`'s Resolver fits. */
export interface AddressResolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
  cancel(): void;
}

/** The addresses of a name, all of them public, IPv4 first; or why there are none. */
export type Resolution =
  | { outcome: 'resolved'; addresses: string[] }
  | { outcome: 'blocked'; reason: string }
  | { outcome: 'unresolved'; code: 'dns_failed' | 'dns_timeout'; detail?: string | undefined };

/**
 * A resolver that asks name servers only: no hosts file, no search domains (c-ares' plain query).
 * One for each resolution, because cancelling stops all a resolver does.
 */
export function dnsResolver(): AddressResolver {
  return new Resolver({ timeout: 2_000, tries: 2 });
}

/**
 * Resolves a name once. Every answer must be public: one private address among public ones means someone
 * is aiming inward, and whoever dials must dial one of exactly these addresses.
 */
export async function resolvePublic(
  name: string,
  { resolver, limitMs }: { resolver: AddressResolver; limitMs: number },
): Promise<Resolution> {
  const timer = Promise.withResolvers<'timeout'>();
  const timeout = setTimeout(() => timer.resolve('timeout'), limitMs);
  const absolute = `${name}.`;
  const asked = Promise.allSettled([resolver.resolve4(absolute), resolver.resolve6(absolute)]);
  const answers = await Promise.race([asked, timer.promise]);
  clearTimeout(timeout);
  if (answers === 'timeout') {
    resolver.cancel();
    return { outcome: 'unresolved', code: 'dns_timeout' };
  }

  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0) return unresolved(answers);
  if (addresses.length > MAX_ANSWERS) return { outcome: 'blocked', reason: 'too many addresses' };
  if (!addresses.every(isPublicAddress)) return { outcome: 'blocked', reason: 'address behind the name' };
  return { outcome: 'resolved', addresses };
}

/** A family without addresses is ordinary; only when neither has one does the first failure name the reason. */
function unresolved(answers: PromiseSettledResult<string[]>[]): Resolution {
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  const unknown = failures.find((failure) => typeof failure?.code !== 'string');
  if (unknown !== undefined) throw unknown;
  const detail: string | undefined = failures[0]?.code;
  return { outcome: 'unresolved', code: detail === 'ETIMEOUT' ? 'dns_timeout' : 'dns_failed', detail };
}
