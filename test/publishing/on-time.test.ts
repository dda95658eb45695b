import { expect, it } from 'vitest';
import { breachesOf } from './simulation/oracle.ts';
import { untilQuiet } from './simulation/seeds.ts';
import { simulatedService } from './simulation/simulated-service.ts';

const quantile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(q * (values.length - 1))] ?? Number.NaN;

it('brings a thousand posts out on time, none early, none lost, wherever in their minute schedules fire', async () => {
  const service = simulatedService(7, { scheduler: { duplicates: 0.05 } });
  const workspace = service.workspace(['custom_webhook']);
  const dueMs = new Map<string, number>();
  const { world } = service;
  for (let post = 0; post < 1000; post += 1) {
    const inMs = world.between(125_000, 3_600_000);
    void service.create(workspace, { inMs }, `post ${post}`);
    dueMs.set(`post ${post}`, Math.ceil(world.now() + inMs));
  }
  await world.runUntil(world.now() + 3_700_000);
  await untilQuiet(service);

  const late = service.receiver.received.map(({ target, atMs }) => {
    const row = [...service.table.all()].find(({ id }) => id === target);
    const post = service.table.row({ pk: `WS#${workspace.id}`, sk: `POST#${row?.post_id}` });
    return atMs - Date.parse(String(post?.scheduled_for));
  });
  expect(breachesOf(service)).toEqual([]);
  expect(late).toHaveLength(1000);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
  expect(quantile(late, 0.5)).toBeLessThanOrEqual(500);
  expect(quantile(late, 0.99)).toBeLessThanOrEqual(1000);
});

it('lets no workspace wait behind another with ten thousand targets, as it would without fair queues', async () => {
  const waits: Record<string, number> = {};
  for (const isFair of [true, false]) {
    const service = simulatedService(11, {
      publishQueue: { maxConcurrency: 50, isFair },
      receiver: () => ({ answerMs: () => 400 }),
    });
    const noisy = service.workspace(Array.from({ length: 25 }, () => 'custom_webhook' as const));
    const quiet = service.workspace(['custom_webhook']);
    for (let post = 0; post < 120; post += 1) void service.create(noisy, 'now');
    await service.world.runUntil(service.world.now() + 2_000);
    for (let post = 0; post < 20; post += 1) void service.create(quiet, 'now');
    await service.world.runUntil(service.world.now() + 120_000);
    const ms = service.publishQueue.waits
      .filter(({ workspace }) => workspace === quiet.id)
      .map((wait) => wait.ms);
    waits[isFair ? 'fair' : 'plain'] = quantile(ms, 0.99);
  }

  expect(waits.fair).toBeLessThanOrEqual(5_000);
  expect(waits.plain).toBeGreaterThan(waits.fair ?? 0);
});
