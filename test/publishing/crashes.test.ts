import { expect, it, vi } from 'vitest';
import { logger } from '../../functions/shared/telemetry.ts';
import { ANSWER_NAMES } from './simulation/fake-platform.ts';
import { breachesOf } from './simulation/oracle.ts';
import type { Fault, FaultPlane } from './simulation/process.ts';
import { forSeeds, untilQuiet } from './simulation/seeds.ts';
import { type ServiceOptions, simulatedService } from './simulation/simulated-service.ts';

vi.spyOn(logger, 'warn').mockImplementation(() => {});

const FAULTS: readonly Fault[] = ['crash-before', 'crash-after', 'fail-before', 'lose-reply'];

/** What is lost on the way, so that the sweeper has to bring the posts out. */
const LOSSES = {
  nothing: [0, 0],
  'the first messages that posts are due': [2, 0],
  'the first messages of targets': [0, 4],
};

/** One post at once and one at its time, each to a platform that lies and an endpoint that is first unwell. */
async function history(
  faults: FaultPlane,
  [lostDue = 0, lostPublish = 0]: readonly number[],
): Promise<string[]> {
  let [due, publish] = [0, 0];
  const service = simulatedService(1, {
    faults,
    dueQueue: { loses: () => due++ < lostDue },
    publishQueue: { loses: () => publish++ < lostPublish },
    platform: (world) => ({ answers: () => (world.random() < 0.5 ? 'ok' : '500 after creating') }),
    receiver: () => ({ statuses: (attempt) => (attempt === 1 ? 503 : 200) }),
  });
  const workspace = service.workspace(['meta_facebook', 'custom_webhook']);
  void service.create(workspace, 'now');
  void service.create(workspace, { inMs: 130_000 });
  await service.world.runUntil(service.world.now() + 150_000);
  await untilQuiet(service);
  return breachesOf(service);
}

it.each(Object.entries(LOSSES))(
  'survives a crash before and after each call when it loses %s',
  async (_, losses) => {
    const calls: string[] = [];
    const noted: FaultPlane = ({ process, call }) => void calls.push(`${process} ${call}`);
    expect(await history(noted, losses)).toEqual([]);

    const last = calls.lastIndexOf('publish-target table.commit');
    const crashed = new Set<string>();
    for (let nth = 0; nth <= last; nth += 1) {
      for (const fault of FAULTS) {
        let at = 0;
        const plane: FaultPlane = ({ process, call }) => {
          at += 1;
          if (at - 1 !== nth) return undefined;
          crashed.add(`${process} ${call} ${fault}`);
          return fault;
        };
        expect(await history(plane, losses), `${fault} at call ${nth}: ${calls[nth]}`).toEqual([]);
      }
    }

    expect(crashed.size).toBe(new Set(calls.slice(0, last + 1)).size * FAULTS.length);
  },
);

it('leaves no call of any worker without a crash', async () => {
  const calls = new Set<string>();
  const noted: FaultPlane = ({ process, call }) => void calls.add(`${process} ${call}`);
  for (const losses of Object.values(LOSSES)) await history(noted, losses);

  expect([...calls].sort()).toEqual([
    ...['api due-queue.send', 'api scheduler.schedule', 'api table.commit', 'api table.get'],
    ...['publish-target platform.prepare', 'publish-target platform.probe', 'publish-target platform.send'],
    ...['publish-target publish-queue.send', 'publish-target table.commit', 'publish-target table.get'],
    ...['publish-target table.update', 'publish-target vault.open', 'publish-target webhook.send'],
    ...['start-post due-queue.send', 'start-post publish-queue.sendAll', 'start-post table.commit'],
    ...['start-post table.query', 'sweep due-queue.send', 'sweep publish-queue.send', 'sweep table.query'],
    'sweep table.update',
  ]);
});

/** Everything at once: faults, lies, duplicates, clocks that are off, and workers that stall. */
const TROUBLED: Omit<ServiceOptions, 'skewMs' | 'faults'> = {
  dueQueue: { duplicates: 0.2, latestMs: 5_000 },
  publishQueue: { duplicates: 0.2, latestMs: 5_000 },
  platform: (world) => ({
    answers: () => ANSWER_NAMES[world.between(0, ANSWER_NAMES.length - 1)] ?? 'ok',
    canProbe: world.random() < 0.8,
  }),
  receiver: (world) => ({ statuses: () => [200, 200, 500, 429, 0, 0][world.between(0, 5)] ?? 200 }),
  latencyMs: (world) => (world.random() < 0.01 ? world.between(1_000, 600_000) : world.between(1, 15)),
};

it('sends each target at most once and ends each, under every trouble at once', async () => {
  await forSeeds(120, async (seed) => {
    const clocksOffMs = seed % 3 === 0 ? 30_000 : 0;
    const service = simulatedService(seed, {
      ...TROUBLED,
      skewMs: () => service.world.between(-clocksOffMs, clocksOffMs),
      faults: ({ process }) =>
        process !== 'api' && service.world.random() < 0.04
          ? FAULTS[service.world.between(0, FAULTS.length - 1)]
          : undefined,
    });
    const workspace = service.workspace(['meta_facebook', 'meta_facebook', 'custom_webhook']);
    for (let post = 0; post < 2; post += 1) {
      void service.create(
        workspace,
        service.world.random() < 0.5 ? 'now' : { inMs: service.world.between(121_000, 600_000) },
      );
    }
    await service.world.runUntil(service.world.now() + 700_000);
    await untilQuiet(service, 80 * 3_600_000);
    return breachesOf(service, { clocksOffMs });
  });
});
