import type { ClientRequest } from 'node:http';
import { type OutboundLimits, RATE_GRACE_MS } from './outbound-limits.ts';

/** A request's body of known size, opened anew for each time it is read, never held in memory whole. */
export interface OutboundBody {
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** How sending ended; `stopped` when the signal asked for it, for instance because the answer came early. */
export type Sending = 'sent' | 'stopped' | 'upload_stalled' | 'upload_too_slow';

/** Pieces small enough that each one accepted is progress, even at the slowest rate allowed. */
const PIECE_BYTES = 64 * 1024;

interface Terms {
  readonly limits: OutboundLimits;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * Writes a body at the pace the receiver takes it. Only time spent waiting for the receiver counts
 * against it, not time the source took.
 *
 * @throws whatever the source throws, and when it does not yield exactly its size: the fault is ours.
 */
export async function sendBody(request: ClientRequest, body: OutboundBody, terms: Terms): Promise<Sending> {
  let sent = 0;
  let waitedMs = 0;
  for await (const chunk of body.open()) {
    for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
      if (terms.signal.aborted) return 'stopped';
      const piece = chunk.subarray(at, at + PIECE_BYTES);
      sent += piece.byteLength;
      if (sent > body.size) throw new Error(`the body yields more than its ${body.size} bytes`);
      if (request.write(piece)) continue;
      const askedAt = terms.now();
      const accepted = await taken(request, 'drain', terms);
      if (accepted !== 'taken') return accepted;
      waitedMs += terms.now() - askedAt;
      if (isTooSlow(sent, waitedMs, terms.limits)) return 'upload_too_slow';
    }
  }
  if (sent !== body.size) throw new Error(`the body yields ${sent} bytes instead of ${body.size}`);
  const finished = taken(request, 'finish', terms);
  request.end();
  const accepted = await finished;
  return accepted === 'taken' ? 'sent' : accepted;
}

function isTooSlow(sent: number, waitedMs: number, limits: OutboundLimits): boolean {
  return waitedMs > RATE_GRACE_MS && sent / (waitedMs / 1_000) < limits.minUploadBytesPerSecond;
}

/** Waits until the receiver took what was written. */
function taken(
  request: ClientRequest,
  event: 'drain' | 'finish',
  { limits, signal }: Terms,
): Promise<'taken' | 'stopped' | 'upload_stalled'> {
  return new Promise((resolve) => {
    const settle = (outcome: 'taken' | 'stopped' | 'upload_stalled') => {
      clearTimeout(timer);
      request.off(event, happened);
      signal.removeEventListener('abort', stopped);
      resolve(outcome);
    };
    const happened = () => settle('taken');
    const stopped = () => settle('stopped');
    const timer = setTimeout(() => settle('upload_stalled'), limits.uploadStallMs);
    request.once(event, happened);
    signal.addEventListener('abort', stopped);
    if (signal.aborted) stopped();
  });
}
