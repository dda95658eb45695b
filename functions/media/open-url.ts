import { BodyCut } from '../shared/outbound/capped-body.ts';
import type { Download } from '../shared/outbound/guarded-download.ts';
import type { OutboundOutcome } from '../shared/outbound/guarded-request.ts';
import { mediaFetchLimits } from '../shared/outbound/outbound-limits.ts';
import type { FileType } from './file-type.ts';
import { SNIFFED_BYTES, sniff } from './sniff.ts';

/** Gets a URL; a use case's way out to the internet. */
export type GetUrl = (download: Download) => Promise<OutboundOutcome>;

/** A file at a URL: what it is by its first bytes, and the rest of it on its way. */
export interface OpenedUrl {
  readonly outcome: 'opened';
  readonly type: FileType;
  /** As its source announced. */
  readonly announcedBytes: number | undefined;
  /** All bytes, the first included. Throws BodyCut where the transfer breaks a limit or off. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the transfer. */
  discard(): void;
}

/**
 * Why a URL gives no file. `reason` is for logs: clients get one text for all, so that nobody learns from it
 * what lies behind an address.
 */
export type Unopened =
  | { readonly outcome: 'too large' }
  | {
      readonly outcome: 'refused';
      readonly reason: string;
      readonly mayHeal: boolean;
      /** Whether somebody was there. */
      readonly isAnswered: boolean;
    };

interface Terms {
  readonly capBytes: number;
  readonly deadlineMs: number;
  readonly ownHosts: readonly string[];
  readonly getUrl: GetUrl;
}

/** Statuses after which another try is worthwhile. */
const isTransient = (status: number) => status >= 500 || status === 408 || status === 429;

/** Sends one request for a URL and looks at the first bytes of what comes. */
export async function openUrl(
  url: string,
  { capBytes, deadlineMs, ownHosts, getUrl }: Terms,
): Promise<OpenedUrl | Unopened> {
  const answer = await getUrl({ url, limits: mediaFetchLimits(capBytes), deadlineMs, ownHosts });
  if (answer.outcome === 'blocked')
    return { outcome: 'refused', reason: answer.reason, mayHeal: false, isAnswered: false };
  if (answer.outcome !== 'answered')
    return { outcome: 'refused', reason: answer.code, mayHeal: true, isAnswered: false };
  const { status, headers, body, discard } = answer;
  if (status !== 200) {
    discard();
    return refusedAnswer(`status ${status}`, isTransient(status));
  }
  try {
    const { head, all } = await peek(body);
    const type = await sniff(head);
    if (!type) {
      discard();
      return refusedAnswer('not a type that is taken', false);
    }
    const announced = Number(headers['content-length'] ?? Number.NaN);
    const announcedBytes = Number.isSafeInteger(announced) ? announced : undefined;
    return { outcome: 'opened', type, announcedBytes, body: all, discard };
  } catch (error) {
    discard();
    return cutOff(error);
  }
}

/** What a transfer that was cut off means. Other errors are ours, and go on. */
export function cutOff(error: unknown): Unopened {
  if (!(error instanceof BodyCut)) throw error;
  if (error.code === 'body_too_large') return { outcome: 'too large' };
  return refusedAnswer(error.code, error.code !== 'body_encoded');
}

const refusedAnswer = (reason: string, mayHeal: boolean): Unopened => ({
  outcome: 'refused',
  reason,
  mayHeal,
  isAnswered: true,
});

/** The first bytes, and a reading that begins with them. */
async function peek(
  body: AsyncIterable<Uint8Array>,
): Promise<{ head: Buffer; all: AsyncIterable<Uint8Array> }> {
  const chunks: Uint8Array[] = [];
  const rest = body[Symbol.asyncIterator]();
  let bytes = 0;
  while (bytes < SNIFFED_BYTES) {
    const next = await rest.next();
    if (next.done) break;
    chunks.push(next.value);
    bytes += next.value.length;
  }
  async function* all() {
    try {
      yield* chunks;
      for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
    } finally {
      await rest.return?.();
    }
  }
  return { head: Buffer.concat(chunks), all: all() };
}
