import type { DeliveryCode, RetryableDelivery } from './delivery-outcome.ts';

const MINUTES = 60;
const HOURS = 60 * MINUTES;

/** The wait before each attempt, in seconds; attempts are counted from 1, so the first entry is its. */
export const WAITS_SECONDS = [
  0,
  5,
  30,
  2 * MINUTES,
  10 * MINUTES,
  30 * MINUTES,
  1 * HOURS,
  2 * HOURS,
  4 * HOURS,
  8 * HOURS,
  12 * HOURS,
  24 * HOURS,
  24 * HOURS,
] as const;

/** How often a delivery is tried at most. */
export const MAX_ATTEMPTS = WAITS_SECONDS.length;

/** How long after its first attempt a delivery is still tried, unless the channel has a shorter horizon. */
export const HORIZON_HOURS = 76;

/** Waits vary by so much either way, so that an endpoint that comes back is not met by all deliveries at once. */
const JITTER = 0.2;

/** An endpoint that is overloaded gets at least this long. */
const OVERLOADED_WAIT_SECONDS = 60;

const OVERLOADED: ReadonlySet<DeliveryCode> = new Set<DeliveryCode>([
  'http_429',
  'dns_timeout',
  'connect_timeout',
  'tls_timeout',
  'upload_stalled',
  'upload_too_slow',
  'answer_timeout',
  'deadline',
]);

/** What decides when to try again. Times in milliseconds since 1970. */
export interface FailedAttempt {
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly outcome: RetryableDelivery;
  readonly firstAttemptAtMs: number;
  readonly nowMs: number;
  /** A number from 0 to 1. */
  readonly random: number;
  /** 1 to 76. @default 76 */
  readonly horizonHours?: number | undefined;
}

/**
 * When a failed delivery is tried next, or that it was its last attempt. The last wait is cut short at the
 * horizon, so that a delivery ends with an attempt there, unless the endpoint asked not to be called by then.
 */
export function nextAttempt(failed: FailedAttempt): { atMs: number } | 'exhausted' {
  const step = WAITS_SECONDS[failed.attempt];
  if (step === undefined) return 'exhausted';
  const { outcome, nowMs } = failed;
  const jittered = step * (1 - JITTER + 2 * JITTER * failed.random);
  const least = Math.max(
    outcome.retryAfterSeconds ?? 0,
    OVERLOADED.has(outcome.code) ? OVERLOADED_WAIT_SECONDS : 0,
  );
  const horizonMs = failed.firstAttemptAtMs + (failed.horizonHours ?? HORIZON_HOURS) * HOURS * 1_000;
  if (nowMs >= horizonMs || nowMs + least * 1_000 > horizonMs) return 'exhausted';
  return { atMs: Math.min(nowMs + Math.max(jittered, least) * 1_000, horizonMs) };
}
