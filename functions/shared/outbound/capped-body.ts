import type { IncomingMessage } from 'node:http';
import { type OutboundLimits, RATE_GRACE_MS } from './outbound-limits.ts';

/** Why a body was not read to its end. */
export type BodyFailure =
  | 'body_too_large'
  | 'body_timeout'
  | 'body_stalled'
  | 'body_too_slow'
  | 'body_truncated'
  | 'body_encoded'
  | 'deadline';

/** Thrown while an answer's body is read, when it breaks a limit or off. */
export class BodyCut extends Error {
  readonly code: BodyFailure;

  constructor(code: BodyFailure) {
    super(`the body of the answer was not read to its end: ${code}`);
    this.code = code;
  }
}

interface Terms {
  readonly limits: OutboundLimits;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * Reads an answer's body within its limits, as it came over the wire: nothing is decompressed, and a body
 * that would need it is not read. However reading ends, the connection is closed.
 *
 * @throws {BodyCut}
 */
export async function* cappedBody(response: IncomingMessage, terms: Terms): AsyncGenerator<Buffer> {
  const { limits, signal, now } = terms;
  const startedAt = now();
  let received = 0;
  let waitedMs = 0;
  try {
    refuseByHeaders(response, limits);
    const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
    while (true) {
      const askedAt = now();
      const leftMs = limits.bodyMs - (askedAt - startedAt);
      const next = await nextChunk(response, chunks, { idleMs: Math.min(limits.bodyIdleMs, leftMs), signal });
      if (next.done) return;
      received += next.value.byteLength;
      waitedMs += now() - askedAt;
      if (received > limits.maxBodyBytes) throw new BodyCut('body_too_large');
      if (now() - startedAt > limits.bodyMs) throw new BodyCut('body_timeout');
      if (waitedMs > RATE_GRACE_MS && received / (waitedMs / 1_000) < limits.minDownloadBytesPerSecond) {
        throw new BodyCut('body_too_slow');
      }
      yield next.value;
    }
  } finally {
    response.destroy();
  }
}

function refuseByHeaders(response: IncomingMessage, limits: OutboundLimits): void {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw new BodyCut('body_encoded');
  if (Number(response.headers['content-length'] ?? 0) > limits.maxBodyBytes)
    throw new BodyCut('body_too_large');
}

/** The next chunk, unless it takes too long; whatever else ends the stream early is a truncation. */
async function nextChunk(
  response: IncomingMessage,
  chunks: AsyncIterator<Buffer>,
  { idleMs, signal }: { idleMs: number; signal: AbortSignal },
): Promise<IteratorResult<Buffer>> {
  let cut: BodyFailure | undefined;
  const end = (code: BodyFailure) => {
    cut = code;
    response.destroy();
  };
  const abort = () => end('deadline');
  const timer = setTimeout(() => end('body_stalled'), idleMs);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    const next = await chunks.next();
    if (next.done && !response.complete) throw new BodyCut(cut ?? 'body_truncated');
    return next;
  } catch (error) {
    if (error instanceof BodyCut) throw error;
    if (cut === undefined && !isNetworkError(error)) throw error;
    throw new BodyCut(cut ?? 'body_truncated');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function isNetworkError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
