import { type Answer, guardedRequest, type OutboundOutcome } from './guarded-request.ts';
import { INTERNET, type Network } from './network.ts';
import type { OutboundLimits } from './outbound-limits.ts';

/** A download from a URL a client gave. There is no way to let it reach loopback. */
export interface Download {
  readonly url: string;
  readonly limits: OutboundLimits;
  /** When to give up at the latest, in milliseconds since 1970. @default the limits' total */
  readonly deadlineMs?: number;
  readonly ownHosts?: readonly string[];
}

/** How many redirects are followed. */
const MAX_REDIRECTS = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads a URL, following redirects by itself: each hop is checked, resolved and pinned like the first,
 * on a new connection, within one time limit for all. Only `Location` redirects; 300, 304, 305, `Refresh`
 * and `Alt-Svc` do not.
 */
export async function guardedDownload(
  download: Download,
  network: Network = INTERNET,
): Promise<OutboundOutcome> {
  const totalMs = network.now() + download.limits.totalMs;
  const deadlineMs = Math.min(totalMs, download.deadlineMs ?? totalMs);
  const { limits, ownHosts = [] } = download;
  let url = download.url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const ended = await guardedRequest(
      { url, method: 'GET', headers: {}, limits, deadlineMs, ownHosts },
      network,
    );
    if (ended.outcome !== 'answered' || !REDIRECTS.has(ended.status)) return ended;
    ended.discard();
    const next = redirectTarget(ended, url);
    if (next === undefined) return { outcome: 'blocked', reason: 'redirect' };
    url = next;
  }
  return { outcome: 'blocked', reason: 'too many redirects' };
}

/** The one location an answer names, resolved against where it came from; its text is judged before any parser sees it, and the result is checked as the next request's URL. */
function redirectTarget(answer: Answer, from: string): string | undefined {
  const { rawHeaders } = answer;
  const locations = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'location',
  );
  const [location] = locations;
  if (locations.length !== 1 || location === undefined) return undefined;
  if (!/^[\x21-\x5b\x5d-\x7e]{1,2048}$/.test(location)) return undefined;
  return URL.parse(location, from)?.href;
}
