import * as v from 'valibot';
import { HOUR_MS, isoAt, MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';

/**
 * What is remembered of a channel's endpoint while it is unwell; a well one has no row. An estimate: attempts
 * at the same moment may count as one.
 */
export const EndpointHealth = v.object({
  /** Raised by every write, so that of two at once one is refused. */
  version: v.number(),
  window_from: v.string(),
  attempts: v.number(),
  failures: v.number(),
  /** How often in a row it was found unwell; while not 0, one attempt at a time is let through. */
  opened: v.number(),
  open_until: v.optional(v.string()),
  /** Since when no delivery has succeeded. */
  failing_since: v.string(),
});
export type EndpointHealth = v.InferOutput<typeof EndpointHealth>;

/** What an attempt says of the endpoint; one that refused is not overloaded, but took nothing either. */
export type AttemptResult = 'delivered' | 'failed' | 'refused';

/** Ten attempts within five minutes, seven of ten of them failures: the endpoint is left alone for a while. */
const WINDOW_MS = 5 * MINUTE_MS;
const LEAST_ATTEMPTS = 10;
const FAILING_SHARE = 0.7;

/** Left alone for a minute at first, twice as long each time, half an hour at most. */
const FIRST_OPEN_MS = MINUTE_MS;
const LONGEST_OPEN_MS = 30 * MINUTE_MS;

/** An attempt that probes keeps the others away for as long as it may take, short of very large media. */
const PROBE_MS = 90 * SECOND_MS;

/** After so long without any success the channel is not active any more. */
const SILENT_MS = 120 * HOUR_MS;

/** Whether an attempt may be made now, made as the one probe, or must wait until a moment. */
export function admission(
  health: EndpointHealth | undefined,
  nowMs: number,
): 'open to all' | { readonly probe: EndpointHealth } | { readonly untilMs: number } {
  if (!health || health.opened === 0) return 'open to all';
  const untilMs = Date.parse(health.open_until ?? isoAt(nowMs));
  if (untilMs > nowMs) return { untilMs };
  return { probe: { ...health, version: health.version + 1, open_until: isoAt(nowMs + PROBE_MS) } };
}

/** The health after an attempt; `well` has no row. */
export function healthAfter(
  health: EndpointHealth | undefined,
  result: AttemptResult,
  nowMs: number,
): EndpointHealth | 'well' {
  const isFresh = health && nowMs - Date.parse(health.window_from) < WINDOW_MS;
  if (result === 'delivered' && (!isFresh || health.opened > 0)) return 'well';
  const attempts = (isFresh ? health.attempts : 0) + 1;
  const failures = (isFresh ? health.failures : 0) + (result === 'failed' ? 1 : 0);
  const next: EndpointHealth = {
    version: (health?.version ?? 0) + 1,
    window_from: isFresh ? health.window_from : isoAt(nowMs),
    attempts,
    failures,
    opened: health?.opened ?? 0,
    failing_since: result === 'delivered' || !health ? isoAt(nowMs) : health.failing_since,
  };
  const isOverloaded = attempts >= LEAST_ATTEMPTS && failures >= FAILING_SHARE * attempts;
  if (result !== 'failed' || !(isOverloaded || next.opened > 0)) return next;
  const openMs = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** next.opened);
  const open = { opened: next.opened + 1, open_until: isoAt(nowMs + openMs) };
  return { ...next, ...open, window_from: isoAt(nowMs), attempts: 0, failures: 0 };
}

/** Whether the endpoint has taken nothing for so long that its channel counts as expired. */
export const isSilent = ({ failing_since }: EndpointHealth, nowMs: number): boolean =>
  nowMs - Date.parse(failing_since) >= SILENT_MS;
