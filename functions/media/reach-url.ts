import { setTimeout as timer } from 'node:timers/promises';
import { type Clock, SECOND_MS } from '../shared/clock.ts';
import { invalidRequest } from '../shared/http/invalid-request.ts';
import { publicUrl } from '../shared/outbound/public-url.ts';
import type { RequestError } from '../shared/request-error.ts';
import { logger } from '../shared/telemetry.ts';
import type { Limits } from '../workspaces/workspace.ts';
import { fileCap, tooLarge } from './file-cap.ts';
import { type GetUrl, type OpenedUrl, openUrl } from './open-url.ts';

/** What reaching a client's URL needs. */
export interface ReachNeeds {
  readonly getUrl: GetUrl;
  /** Our own public hosts, which must not be made to call themselves. */
  readonly ownHosts: readonly string[];
  readonly clock: Clock;
  /** @default a timer */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** A URL in a request. */
export interface AskedUrl {
  readonly url: string;
  readonly workspaceId: string;
  readonly limits: Limits;
  /** The URL's place in the request: `body.url`. */
  readonly where: string;
}

const MAX_TRIES = 3;

/**
 * When a URL that nobody answered at is refused, after its request began: the time one attempt to connect may
 * take, and a second for its name. Refused at once, unknown, leading inside or never answered: it takes equally
 * long, so that nobody learns from our haste what there is behind an address.
 */
const REFUSED_AFTER_MS = 4 * SECOND_MS;

/** An attempt that nobody answered is repeated while another fits in that time. */
const REPEATED_WITHIN_MS = SECOND_MS;

/**
 * Gets the first bytes of a URL's file.
 *
 * @throws {RequestError} invalid_request, in one text and, where nobody answered, after one time;
 * payload_too_large.
 */
export async function reachUrl(asked: AskedUrl, deadlineMs: number, needs: ReachNeeds): Promise<OpenedUrl> {
  const { clock, getUrl, ownHosts, sleep = timer } = needs;
  refuseByText(asked, ownHosts);
  const startedMs = clock();
  const capBytes = fileCap(asked.limits);
  for (let tries = 1; ; tries += 1) {
    const opened = await openUrl(asked.url, { capBytes, deadlineMs, ownHosts, getUrl });
    if (opened.outcome === 'opened') return opened;
    if (opened.outcome === 'too large') throw tooLarge(capBytes);
    const tookMs = clock() - startedMs;
    const limitMs = opened.isAnswered ? deadlineMs - startedMs : REPEATED_WITHIN_MS;
    if (opened.mayHeal && tries < MAX_TRIES && tookMs < limitMs) continue;
    if (!opened.isAnswered) await sleep(untilRefused(tookMs));
    throw urlRefusal(asked, opened.reason);
  }
}

/** To the end of the time, or, where several of a name's addresses were tried, of its next multiple. */
const untilRefused = (tookMs: number): number =>
  Math.max(1, Math.ceil(tookMs / REFUSED_AFTER_MS)) * REFUSED_AFTER_MS - tookMs;

/** What is wrong in the URL's text, which the client can see too, is refused before anything is asked of the network. */
function refuseByText(asked: AskedUrl, ownHosts: readonly string[]): void {
  const judged = publicUrl(asked.url, { ownHosts });
  if (judged.outcome === 'refused') throw urlRefusal(asked, judged.reason);
}

/** One text for all that can be wrong with a URL: it tells nothing of what lies behind an address. */
export function urlRefusal({ where, workspaceId }: AskedUrl, reason: string): RequestError {
  logger.info('media URL refused', { workspace_id: workspaceId, reason });
  const message =
    'gave no media: it must be a public https address (port 443, no user name) that answers 200 with the bytes of an image or video, uncompressed';
  return invalidRequest({ path: where, message });
}
