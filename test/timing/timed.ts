import { type Comparison, compared } from './kolmogorov-smirnov.ts';

/** Does one thing of its kind; the time it takes is what an attacker would measure. */
export type Once = () => Promise<unknown>;

const SAMPLES = 300;
const WARM_UP = 100;

async function timeOf(once: Once): Promise<number> {
  const startedAt = performance.now();
  await once();
  return performance.now() - startedAt;
}

/** Measures both kinds in turns, each turn in either order, so that whatever slows the machine slows both. */
async function measured(kinds: readonly [Once, Once]): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < WARM_UP + SAMPLES; turn += 1) {
    const order = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const);
    for (const kind of order) {
      const ms = await timeOf(kinds[kind]);
      if (turn >= WARM_UP) times[kind].push(ms);
    }
  }
  return times;
}

/** Chance alone gives one in a hundred a p below this; a true difference gives it every time. */
const LEAST_P = 0.01;

/** Compares how long two kinds of request take. What chance made look different is measured again. */
export async function compareTimes(
  name: string,
  kinds: readonly [Once, Once],
  { measurements = 3 } = {},
): Promise<Comparison> {
  for (let left = measurements; ; left -= 1) {
    const [a, b] = await measured(kinds);
    const comparison = compared(a, b);
    console.log(
      `${name}: medians ${median(a).toFixed(2)} and ${median(b).toFixed(2)} ms, distance ${comparison.distance.toFixed(3)}, p ${comparison.p.toFixed(3)}`,
    );
    if (comparison.p > LEAST_P || left === 1) return comparison;
  }
}

const median = (times: readonly number[]) => times.toSorted((p, q) => p - q)[times.length >> 1] ?? 0;
