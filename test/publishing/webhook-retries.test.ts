import { expect, it } from 'vitest';
import { breachesOf } from './simulation/oracle.ts';
import { forSeeds, untilQuiet } from './simulation/seeds.ts';
import { type SimulatedService, simulatedService } from './simulation/simulated-service.ts';

const HOUR_MS = 3_600_000;
const targetOf = ({ table }: SimulatedService) =>
  [...table.all()].find(({ sk }) => String(sk).includes('#TARGET#') && String(sk).startsWith('POST#'));
const attemptsOf = ({ table }: SimulatedService) =>
  [...table.all()].filter(({ pk }) => String(pk).endsWith('#ATTEMPTS'));

it('tries thirteen times over 75 hours, always the same delivery, each time signed anew', async () => {
  await forSeeds(20, async (seed) => {
    const service = simulatedService(seed, { receiver: () => ({ statuses: () => 503 }) });
    const workspace = service.workspace(['custom_webhook']);
    void service.create(workspace, 'now');
    await service.world.runUntil(service.world.now() + 1 * HOUR_MS);
    const { received } = service.receiver;
    expect(targetOf(service)).toMatchObject({
      status: 'awaiting_platform',
      error_message: expect.stringContaining('answered 503'),
    });
    await untilQuiet(service, 120 * HOUR_MS);

    const hours = ((received.at(-1)?.atMs ?? 0) - (received[0]?.atMs ?? 0)) / HOUR_MS;
    expect(received).toHaveLength(13);
    expect(hours).toBeGreaterThan(75.7 * 0.8);
    expect(hours).toBeLessThanOrEqual(76.1);
    expect(new Set(received.map(({ timestamp }) => timestamp)).size).toBe(13);
    expect(targetOf(service)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('given up after 13'),
    });
    expect(attemptsOf(service)).toHaveLength(13);
    return breachesOf(service);
  });
});

it('repeats a delivery that was cut off with the same id and bytes', async () => {
  await forSeeds(100, async (seed) => {
    const service = simulatedService(seed, {
      faults: ({ process, call }) =>
        process === 'publish-target' && call === 'webhook.send' && service.world.random() < 0.3
          ? 'crash-after'
          : undefined,
      receiver: (world) => ({ statuses: () => (world.random() < 0.5 ? 503 : 200) }),
    });
    const workspace = service.workspace(['custom_webhook']);
    void service.create(workspace, 'now');
    await service.world.runUntil(service.world.now() + HOUR_MS);
    await untilQuiet(service, 120 * HOUR_MS);
    return breachesOf(service);
  });
});

it('delivers once to a well endpoint, however often its messages come', async () => {
  await forSeeds(50, async (seed) => {
    const service = simulatedService(seed, {
      dueQueue: { duplicates: 0.9 },
      publishQueue: { duplicates: 0.9, latestMs: 200 },
      // Long enough for a second message to come in the middle of the first delivery.
      receiver: (world) => ({ answerMs: () => world.between(20, 45_000) }),
    });
    void service.create(service.workspace(['custom_webhook']), 'now');
    await untilQuiet(service);
    return [
      ...breachesOf(service),
      ...service.receiver.received.slice(1).map(({ target }) => `${target} was delivered again`),
    ];
  });
});

it('holds on to a success while the table is away, instead of delivering again', async () => {
  const service = simulatedService(1, {
    faults: ({ call }) =>
      call.startsWith('table') && service.receiver.received.length > 0 && service.world.now() < backMs
        ? 'fail-before'
        : undefined,
  });
  const backMs = service.world.now() + 10 * 60_000;
  void service.create(service.workspace(['custom_webhook']), 'now');
  await untilQuiet(service);

  expect(targetOf(service)).toMatchObject({ status: 'posted' });
  expect(service.receiver.received).toHaveLength(1);
});
