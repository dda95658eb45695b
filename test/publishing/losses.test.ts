import { describe, expect, it, vi } from 'vitest';
import { logger } from '../../functions/shared/telemetry.ts';
import { breachesOf } from './simulation/oracle.ts';
import type { FaultPlane } from './simulation/process.ts';
import { forSeeds, untilQuiet } from './simulation/seeds.ts';
import { type ServiceOptions, simulatedService } from './simulation/simulated-service.ts';

vi.spyOn(logger, 'warn').mockImplementation(() => {});

const MINUTE_MS = 60_000;

/** Loses the nth message it is shown. */
const nth = (wanted: number) => {
  let seen = 0;
  return () => ++seen === wanted;
};

/** Each thing that can be lost, once. */
const LOST: Record<string, (world: { readonly seed: number }) => ServiceOptions> = {
  'the schedule': () => ({ scheduler: { loses: nth(1) } }),
  'the first due message': () => ({ dueQueue: { loses: nth(1) } }),
  'the delayed due message': () => ({ dueQueue: { loses: nth(2) } }),
  'the first message of a target': () => ({ publishQueue: { loses: nth(1) } }),
  'the second message of a target': () => ({ publishQueue: { loses: nth(2) } }),
  'the dispatch, with its process': () => ({ faults: crashOnce('api', 2, 'crash-after') }),
  'start-post, before it sends': () => ({ faults: crashOnce('start-post', 2, 'crash-after') }),
  'a sweep': () => ({ faults: crashOnce('sweep', 1, 'crash-before') }),
};

function crashOnce(wanted: string, call: number, fault: 'crash-before' | 'crash-after'): FaultPlane {
  let isDone = false;
  return ({ process, nth: at }) => {
    if (isDone || process !== wanted || at !== call) return undefined;
    isDone = true;
    return fault;
  };
}

describe('a post goes out within two minutes of its time when this is lost:', () => {
  it.each(Object.entries(LOST))('%s', async (_, lost) => {
    await forSeeds(20, async (seed) => {
      const late: number[] = [];
      for (const when of ['now', { inMs: 10 * MINUTE_MS }] as const) {
        const service = simulatedService(seed, lost({ seed }));
        const workspace = service.workspace(['custom_webhook', 'custom_webhook']);
        const dueMs = service.world.now() + (when === 'now' ? 0 : when.inMs);
        void service.create(workspace, when);
        await service.world.runUntil(service.world.now() + 11 * MINUTE_MS);
        await untilQuiet(service);
        expect(breachesOf(service)).toEqual([]);
        expect(service.receiver.received.length).toBeGreaterThanOrEqual(2);
        late.push(...service.receiver.received.map(({ atMs }) => atMs - dueMs));
      }
      return late.filter((ms) => ms > 2 * MINUTE_MS).map((ms) => `${ms} ms late`);
    });
  });
});

describe('an outage of ten minutes', () => {
  const SERVICES = ['table', 'due-queue', 'publish-queue', 'scheduler', 'vault'];
  it.each(SERVICES)(
    'of the %s loses nothing, doubles nothing, and is made up for in five minutes',
    async (name) => {
      await forSeeds(5, async (seed) => {
        const service = simulatedService(seed, {
          faults: ({ call }) => {
            const sinceMs = service.world.now() - beganMs;
            return sinceMs >= 0 && sinceMs < 10 * MINUTE_MS && call.startsWith(name)
              ? 'fail-before'
              : undefined;
          },
        });
        const beganMs = service.world.now() + 2 * MINUTE_MS;
        const workspace = service.workspace(['meta_facebook', 'custom_webhook']);
        // Clients write before and after, not during: a table that is away takes no posts.
        for (const inMs of [121_000, 200_000, 400_000, 700_000]) void service.create(workspace, { inMs });
        void service.create(workspace, 'now');
        await service.world.runUntil(beganMs + 15 * MINUTE_MS);
        const open = [...service.table.all()].filter(
          ({ sk, status }) => /^POST#.{36}$/.test(String(sk)) && status !== 'posted',
        );
        await untilQuiet(service);
        return [...breachesOf(service), ...open.map(({ id, status }) => `post ${id} is still ${status}`)];
      });
    },
  );
});

it('publishes a post up to six hours late, and fails it loudly after that, or as the workspace has it', async () => {
  const outcomes: unknown[] = [];
  for (const { hoursDown, settings } of [
    { hoursDown: 5.5, settings: {} },
    { hoursDown: 6.5, settings: {} },
    { hoursDown: 6.5, settings: { late_publishing_hours: 12 } },
  ]) {
    const service = simulatedService(1, {
      faults: ({ process }) =>
        process !== 'api' && service.world.now() < downUntilMs ? 'crash-before' : undefined,
    });
    const downUntilMs = service.world.now() + hoursDown * 60 * MINUTE_MS;
    const workspace = service.workspace(['custom_webhook'], settings);
    void service.create(workspace, { inMs: 3 * MINUTE_MS });
    await service.world.runUntil(downUntilMs + 5 * MINUTE_MS);
    await untilQuiet(service);
    expect(breachesOf(service)).toEqual([]);
    const target = [...service.table.all()].find(({ sk }) => String(sk).includes('#TARGET#'));
    outcomes.push([
      target?.status,
      service.receiver.received.length,
      String(target?.error_message).slice(0, 20),
    ]);
  }

  expect(outcomes).toEqual([
    ['posted', 1, 'null'],
    ['failed', 0, 'This missed its time'],
    ['posted', 1, 'null'],
  ]);
});

it('ends a target that can never be handled, and lets no other wait for it', async () => {
  const service = simulatedService(1, {
    faults: ({ call }) => (call === 'vault.open' && isPoisoned() ? 'fail-before' : undefined),
  });
  // The credentials of one workspace cannot be opened; it is told by whose turn it is on the virtual clock.
  let isPoisonedNow = true;
  const isPoisoned = () => isPoisonedNow;
  const poisoned = service.workspace(['custom_webhook']);
  void service.create(poisoned, 'now');
  await service.world.runUntil(service.world.now() + 5_000);
  isPoisonedNow = false;
  const other = service.workspace(['custom_webhook']);
  for (let post = 0; post < 50; post += 1) void service.create(other, 'now');
  await service.world.runUntil(service.world.now() + 5_000);
  expect(service.receiver.received).toHaveLength(50);
  isPoisonedNow = true;
  await untilQuiet(service);

  const targets = [...service.table.all()].filter(({ sk }) => String(sk).includes('#TARGET#'));
  expect(
    targets.find(({ workspace_id, platform }) => platform && workspace_id === poisoned.id),
  ).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('nothing has gone out'),
  });
  expect(breachesOf(service)).toEqual([]);
});

it('does nothing when all that was set aside is put back, twice', async () => {
  const service = simulatedService(3, {
    faults: ({ process }) =>
      process !== 'api' && service.world.now() < troubledUntilMs && service.world.random() < 0.3
        ? 'crash-before'
        : undefined,
    dueQueue: { visibilityMs: 20_000 },
    publishQueue: { visibilityMs: 20_000 },
  });
  const troubledUntilMs = service.world.now() + 60 * MINUTE_MS;
  const workspace = service.workspace(['meta_facebook', 'custom_webhook']);
  for (let post = 0; post < 40; post += 1) void service.create(workspace, 'now');
  await service.world.runUntil(troubledUntilMs);
  await untilQuiet(service, 24 * 60 * MINUTE_MS);
  const rows = () =>
    JSON.stringify([...service.table.all()].filter(({ sk }) => String(sk).startsWith('POST#')));
  const before = rows();
  const { dueQueue, publishQueue, world } = service;
  const setAside = [...dueQueue.deadLetters, ...publishQueue.deadLetters];
  for (let round = 0; round < 2; round += 1) {
    for (const body of dueQueue.deadLetters) dueQueue.put(body);
    for (const body of publishQueue.deadLetters) publishQueue.put(body);
    await world.runUntil(world.now() + 60 * MINUTE_MS);
  }

  expect(setAside.length).toBeGreaterThan(0);
  expect(rows() === before).toBe(true);
  expect(breachesOf(service)).toEqual([]);
});
