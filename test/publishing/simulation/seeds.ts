import { expect } from 'vitest';
import type { SimulatedService } from './simulated-service.ts';

/**
 * Runs a history for each of so many seeds. `SEED=n` runs one alone, `RUNS=n` multiplies their number, as
 * `npm run soak` does. A breach names its seed, and the seed replays it.
 */
export async function forSeeds(count: number, history: (seed: number) => Promise<readonly string[]>) {
  const only = process.env.SEED;
  const runs = count * Number(process.env.RUNS ?? 1);
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
