import { expect, it } from 'vitest';
import { breachesOf } from './simulation/oracle.ts';
import { forSeeds, untilQuiet } from './simulation/seeds.ts';
import { type SimulatedService, simulatedService } from './simulation/simulated-service.ts';

const bodyOf = (reply: { body: string } | undefined) => JSON.parse(reply?.body ?? '{}');

interface Workspace {
  readonly id: string;
  readonly channels: string[];
}

/** What a client did with one post, and what it was told. */
interface Story {
  readonly id: string;
  /** The answer to the last DELETE; `unscheduled` or `conflict`. */
  last: string;
}

/** Schedules a post, and takes it back or moves it around the very moment it goes out. */
async function raced(service: SimulatedService, workspace: Workspace): Promise<Story> {
  const { world } = service;
  const inMs = world.between(121_000, 180_000);
  const dueMs = world.now() + inMs;
  const story: Story = { id: bodyOf(await service.create(workspace, { inMs })).id, last: '' };
  for (let round = world.between(1, 3), aroundMs = dueMs; round > 0; round -= 1) {
    await world.sleep(aroundMs - world.now() + world.between(-400, 700));
    const deleted = await service.unschedule(workspace.id, story.id);
    story.last = deleted?.status === 200 ? bodyOf(deleted).action : bodyOf(deleted).error?.code;
    if (story.last !== 'unscheduled' || world.random() < 0.5) return story;
    const againInMs = world.between(121_000, 150_000);
    aroundMs = world.now() + againInMs;
    if ((await service.reschedule(workspace.id, story.id, againInMs))?.status === 200)
      story.last = 'rescheduled';
  }
  return story;
}

it('has one winner when a post is taken back in the moment it goes out', async () => {
  const told = new Map<string, number>();
  await forSeeds(40, async (seed) => {
    const service = simulatedService(seed, {});
    const workspace = service.workspace(['meta_facebook']);
    const stories: Story[] = [];
    for (let post = 0; post < 50; post += 1) {
      service.world.after(
        post * 10_000,
        () => void raced(service, workspace).then((story) => stories.push(story)),
      );
    }
    await service.world.runUntil(service.world.now() + 1_500_000);
    await untilQuiet(service);

    const targets = new Map([...service.table.all()].map((row) => [row.id, row.post_id]));
    const out = new Set(service.platform.publications.map(({ target }) => targets.get(target)));
    for (const { last } of stories) told.set(last, (told.get(last) ?? 0) + 1);
    return [
      ...breachesOf(service),
      ...stories
        .filter(({ id, last }) => last === 'unscheduled' && out.has(id))
        .map(({ id }) => `${id} was unscheduled and went out`),
      ...stories
        .filter(({ id, last }) => last !== 'unscheduled' && !out.has(id))
        .map(({ id, last }) => `${id} was ${last} and never went out`),
      ...(stories.length === 50 ? [] : [`only ${stories.length} of 50 stories ended`]),
    ];
  });

  if (process.env.SEED === undefined) {
    // Both sides win often, or nothing was raced.
    expect(told.get('unscheduled')).toBeGreaterThan(200);
    expect(told.get('conflict')).toBeGreaterThan(200);
    expect(told.get('rescheduled')).toBeGreaterThan(100);
  }
});

it('fires all the old messages of a post rescheduled again and again, and publishes it once', async () => {
  const service = simulatedService(1, { scheduler: { duplicates: 0.5 } });
  const workspace = service.workspace(['meta_facebook']);
  const { world, dueQueue } = service;
  const storm = async () => {
    const { id } = bodyOf(await service.create(workspace, { inMs: 600_000 }));
    for (let round = 0; round < 50; round += 1) {
      await service.unschedule(workspace.id, id);
      await service.reschedule(workspace.id, id, 600_000);
    }
    await world.sleep(500_000);
    for (let generation = 1; generation <= 50; generation += 1) {
      dueQueue.put({ workspace_id: workspace.id, post_id: id, generation });
    }
  };
  world.after(0, () => void storm());
  await world.runUntil(world.now() + 1_500_000);
  await untilQuiet(service);

  expect(breachesOf(service)).toEqual([]);
  expect(service.platform.publications).toHaveLength(1);
  expect(service.watch.queued()).toBe(51);
});

it('never lets a worker that lost its lease write over another', async () => {
  await forSeeds(1000, async (seed) => {
    const service = simulatedService(seed, {
      publishQueue: { duplicates: 0.5 },
      platform: (world) => ({ answers: () => (world.random() < 0.5 ? 'ok' : '500 after creating') }),
      // Every tenth call outlasts any lease.
      latencyMs: (world) => (world.random() < 0.1 ? world.between(30_000, 400_000) : world.between(1, 15)),
    });
    const workspace = service.workspace(['meta_facebook']);
    void service.create(workspace, 'now');
    await service.world.runUntil(service.world.now() + 2_000_000);
    await untilQuiet(service, 24 * 3_600_000);
    return breachesOf(service);
  });
});
