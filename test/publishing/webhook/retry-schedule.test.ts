import { describe, expect, it } from 'vitest';
import type { DeliveryCode } from '../../../functions/publishing/platforms/webhook/delivery-outcome.ts';
import { retryAfterSeconds } from '../../../functions/publishing/platforms/webhook/retry-after.ts';
import {
  MAX_ATTEMPTS,
  nextAttempt,
  WAITS_SECONDS,
} from '../../../functions/publishing/platforms/webhook/retry-schedule.ts';

const HOUR_MS = 3_600_000;

interface Given {
  attempt?: number;
  code?: DeliveryCode;
  retryAfterSeconds?: number;
  random?: number;
  sinceFirstMs?: number;
  horizonHours?: number;
}

/** The wait until the next attempt, in seconds. */
function wait({
  attempt = 1,
  code = 'http_500',
  random = 0.5,
  sinceFirstMs = 0,
  horizonHours,
  ...asked
}: Given) {
  const outcome = { outcome: 'retry', code, reason: '', ...asked } as const;
  const nowMs = 1_790_000_000_000;
  const next = nextAttempt({
    attempt,
    outcome,
    nowMs,
    firstAttemptAtMs: nowMs - sinceFirstMs,
    random,
    ...(horizonHours === undefined ? {} : { horizonHours }),
  });
  return next === 'exhausted' ? next : (next.atMs - nowMs) / 1_000;
}

function allAttempts(random: number, horizonHours?: number): number[] {
  const times = [0];
  for (let attempt = 1; ; attempt += 1) {
    const elapsedMs = (times.at(-1) ?? 0) * 1_000;
    const next = wait({
      attempt,
      random,
      sinceFirstMs: elapsedMs,
      ...(horizonHours === undefined ? {} : { horizonHours }),
    });
    if (next === 'exhausted') return times;
    times.push((times.at(-1) ?? 0) + next);
  }
}

describe('the retry schedule', () => {
  it('is 13 attempts over 75 h 42 min 35 s', () => {
    expect(MAX_ATTEMPTS).toBe(13);
    expect(WAITS_SECONDS.reduce<number>((sum, seconds) => sum + seconds, 0)).toBe(75 * 3_600 + 42 * 60 + 35);
    expect(allAttempts(0.5)).toEqual(
      WAITS_SECONDS.map((_, at) => WAITS_SECONDS.slice(0, at + 1).reduce<number>((a, b) => a + b, 0)),
    );
  });

  it('keeps its 13 attempts within 76 h, however the waits fall', () => {
    for (const random of [0, 0.25, 0.5, 0.75, 1]) {
      const times = allAttempts(random);
      expect(times).toHaveLength(13);
      expect(times.at(-1)).toBeLessThanOrEqual(76 * 3_600);
    }
  });

  it('varies each wait by a fifth either way', () => {
    expect(wait({ attempt: 4, random: 0 })).toBeCloseTo(480);
    expect(wait({ attempt: 4, random: 0.5 })).toBeCloseTo(600);
    expect(wait({ attempt: 4, random: 1 })).toBeCloseTo(720);
  });

  it('ends after the last attempt', () => {
    expect(wait({ attempt: 13 })).toBe('exhausted');
  });

  it.each([
    'http_429',
    'answer_timeout',
    'connect_timeout',
    'tls_timeout',
    'dns_timeout',
    'upload_stalled',
    'deadline',
  ] as const)('waits a minute at least after %s', (code) => {
    expect(wait({ attempt: 1, code })).toBe(60);
    expect(wait({ attempt: 4, code })).toBeCloseTo(600);
  });

  it('waits as long as the endpoint asked, but no shorter than its own step', () => {
    expect(wait({ attempt: 1, retryAfterSeconds: 90 })).toBe(90);
    expect(wait({ attempt: 4, retryAfterSeconds: 90 })).toBeCloseTo(600);
  });

  it('makes its last attempt at the horizon of the channel', () => {
    const times = allAttempts(0.5, 1);

    expect(times.at(-1)).toBe(3_600);
    expect(times).toHaveLength(7);
  });

  it('does not call before the endpoint asked, even if the horizon comes first', () => {
    expect(wait({ attempt: 3, retryAfterSeconds: 7_200, horizonHours: 1 })).toBe('exhausted');
  });

  it('is over once the horizon has passed', () => {
    expect(wait({ attempt: 5, sinceFirstMs: 76 * HOUR_MS })).toBe('exhausted');
  });
});

describe('retryAfterSeconds', () => {
  const nowMs = Date.parse('2026-09-21T14:13:20Z');

  it.each([
    ['0', 0],
    [' 120 ', 120],
    ['999999', 86_400],
    ['99999999999999', 86_400],
    ['Mon, 21 Sep 2026 14:14:20 GMT', 60],
    ['Tue, 22 Sep 2027 14:14:20 GMT', 86_400],
  ])('reads %j as %i s', (header, seconds) => {
    expect(retryAfterSeconds(header, nowMs)).toBe(seconds);
  });

  it.each([
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    'soon',
    'Mon, 21 Sep 2026 14:13:00 GMT',
    '2026-09-21',
    'Mon, 99 Xyz 2026 14:14:20 GMT',
    '1, 2',
  ])('makes nothing of %j', (header) => {
    expect(retryAfterSeconds(header, nowMs)).toBeUndefined();
  });
});
