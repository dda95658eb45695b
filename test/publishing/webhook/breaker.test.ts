import { describe, expect, it } from 'vitest';
import {
  admission,
  type EndpointHealth,
  healthAfter,
  isSilent,
} from '../../../functions/publishing/platforms/webhook/endpoint-health.ts';
import { breachesOf } from '../simulation/oracle.ts';
import { untilQuiet } from '../simulation/seeds.ts';
import { simulatedService } from '../simulation/simulated-service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const healthOf = (
  results: readonly ('delivered' | 'failed' | 'refused')[],
  atMs: (index: number) => number,
) =>
  results.reduce<EndpointHealth | undefined>((health, result, index) => {
    const next = healthAfter(health, result, atMs(index));
    return next === 'well' ? undefined : next;
  }, undefined);

const failures = (count: number) => Array.from({ length: count }, () => 'failed' as const);

describe('the health of an endpoint', () => {
  it('opens after ten attempts within five minutes of which seven failed, and not before', () => {
    const mixed = [
      'failed',
      'failed',
      'delivered',
      'failed',
      'failed',
      'delivered',
      'failed',
      'delivered',
      'failed',
    ] as const;

    expect(healthOf(mixed, () => 0)).toMatchObject({ opened: 0 });
    expect(healthOf([...mixed, 'failed'], () => 0)).toMatchObject({
      opened: 1,
      open_until: '1970-01-01T00:01:00.000Z',
    });
    expect(healthOf([...mixed, 'delivered'], () => 0)).toMatchObject({ opened: 0 });
    expect(healthOf(failures(30), (index) => index * MINUTE_MS)).toMatchObject({ opened: 0 });
  });

  it('stays open twice as long after each probe that fails, up to half an hour, and closes with one that succeeds', () => {
    const opened: number[] = [];
    let health = healthOf(failures(10), () => 0);
    for (let round = 0; round < 7; round += 1) {
      const untilMs = Date.parse(health?.open_until ?? '');
      expect(admission(health, untilMs - 1)).toEqual({ untilMs });
      expect(admission(health, untilMs)).toHaveProperty('probe');
      const next = healthAfter(health, 'failed', untilMs);
      if (next === 'well') throw new Error('a failure is not well');
      opened.push((Date.parse(next.open_until ?? '') - untilMs) / MINUTE_MS);
      health = next;
    }

    expect(opened).toEqual([2, 4, 8, 16, 30, 30, 30]);
    expect(healthAfter(health, 'delivered', 0)).toBe('well');
    expect(admission(undefined, 0)).toBe('open to all');
  });

  it('counts the time without any success from the first failure after the last one', () => {
    const health = healthOf(['failed', 'delivered', 'failed'], (index) => index * 100_000);
    const { failing_since } = health ?? { failing_since: '' };

    expect(Date.parse(failing_since)).toBe(100_000);
    expect(health && isSilent(health, 100_000 + 120 * HOUR_MS - 1)).toBe(false);
    expect(health && isSilent(health, 100_000 + 120 * HOUR_MS)).toBe(true);
  });
});

it('spares an endpoint that is down, puts attempts off without using them up, and delivers all once it is back', async () => {
  const service = simulatedService(5, {
    receiver: () => ({ statuses: () => (service.world.now() < backMs ? 503 : 200) }),
  });
  const backMs = service.world.now() + 20 * MINUTE_MS;
  const workspace = service.workspace(['custom_webhook']);
  for (let post = 0; post < 100; post += 1) {
    service.world.after(post * 6_000, () => void service.create(workspace, 'now'));
  }
  await service.world.runUntil(backMs);
  const whileDown = service.receiver.received.length;
  await untilQuiet(service, 30 * HOUR_MS);

  const { received } = service.receiver;
  expect(breachesOf(service)).toEqual([]);
  expect(received.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(whileDown).toBeLessThan(60);
  expect((received.at(-1)?.atMs ?? 0) - backMs).toBeLessThan(40 * MINUTE_MS);
});

it('ends a channel whose endpoint has taken nothing for five days, and says why', async () => {
  const service = simulatedService(6, { receiver: () => ({ statuses: () => 503 }) });
  const workspace = service.workspace(['custom_webhook']);
  for (let day = 0; day < 7; day += 1) {
    service.world.after(day * 24 * HOUR_MS, () => void service.create(workspace, 'now'));
  }
  await service.world.runUntil(service.world.now() + 7 * 24 * HOUR_MS);
  await untilQuiet(service, 100 * HOUR_MS);

  const rows = [...service.table.all()];
  expect(rows.find(({ sk }) => String(sk).startsWith('CHANNEL#'))).toMatchObject({ status: 'expired' });
  expect(rows.filter(({ platform, status }) => platform && status === 'skipped').at(-1)).toMatchObject({
    error_message: expect.stringContaining('taken no delivery for five days'),
  });
  expect(breachesOf(service)).toEqual([]);
});

it('gives a delivery up at the horizon its channel has set', async () => {
  const service = simulatedService(7, { receiver: () => ({ statuses: () => 503 }) });
  const workspace = service.workspace(['custom_webhook']);
  const [channel] = [...service.table.all()].filter(({ sk }) => String(sk).startsWith('CHANNEL#'));
  service.table.put({ ...channel, retry_hours: 1 });
  void service.create(workspace, 'now');
  await untilQuiet(service, 100 * HOUR_MS);

  const [first, last] = [service.receiver.received[0], service.receiver.received.at(-1)];
  expect((last?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThanOrEqual(HOUR_MS + 2 * MINUTE_MS);
  expect(breachesOf(service)).toEqual([]);
});
