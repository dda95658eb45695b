import { HOUR_MS, MINUTE_MS } from '../../../shared/clock.ts';

/** The zone in which YouTube's quotas begin anew each day (YouTube Data API, quota calculator). */
const PACIFIC = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hour: 'numeric',
  minute: 'numeric',
  hourCycle: 'h23',
});

/** Midnight is first looked for on this grid: changes of the clock are by whole hours. */
const STEP_MS = 15 * MINUTE_MS;

/** The next midnight in California, in milliseconds since the epoch; right on the days the clocks change too. */
export function nextPacificMidnight(nowMs: number): number {
  let atMs = (Math.floor(nowMs / STEP_MS) + 1) * STEP_MS;
  const latestMs = nowMs + 26 * HOUR_MS;
  while (atMs < latestMs && PACIFIC.format(atMs) !== '00:00') atMs += STEP_MS;
  return atMs;
}
