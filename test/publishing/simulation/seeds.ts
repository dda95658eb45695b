import { expect, vi } from 'vitest';
import type { SimulatedService } from './simulated-service.ts';

/** How many times the usual number of histories. */
const RUNS = Number(process.env.RUNS ?? 1);

// Far more than they take, also on a machine that is busy with other things.
vi.setConfig({ testTimeout: 60_000 * RUNS });

/**
 * Runs a history for each of so many seeds. `SEED=n` runs one alone, `RUNS=n` multiplies their number, as
 * `npm run test:long` does. A breach names its seed, and the seed replays it.
 */
export async function forSeeds(count: number, history: (seed: number) => Promise<readonly string[]>) {
  const only = process.env.SEED;
  const runs = count * RUNS;
  const seeds = only === undefined ? Array.from({ length: runs }, (_, index) => index + 1) : [Number(only)];
  for (const seed of seeds) {
    expect(await history(seed), `replay it with SEED=${seed}`).toEqual([]);
  }
}

const STEP_MS = 5 * 60_000;

/** Lets the world go on until nothing is due any more, at most so long. */
export async function untilQuiet(
  { world, table }: SimulatedService,
  atMostMs = 6 * 3_600_000,
): Promise<void> {
  const endMs = world.now() + atMostMs;
  do await world.runUntil(world.now() + STEP_MS);
  while (world.now() < endMs && table.isDue());
}
