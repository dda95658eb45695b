import { setTimeout as sleep } from 'node:timers/promises';

/** Eight tries, 20 ms doubling to 400 ms with full jitter: a hot counter drains in well under 2 s. */
const MAX_TRIES = 8;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 400;

/**
 * Repeats what lost a race against another transaction, until it is decided or the tries are used up.
 *
 * @throws what `exhausted` makes, when the last try lost too.
 */
export async function withJitter<T>(
  exhausted: () => Error,
  attempt: () => Promise<T | 'try again'>,
  random: () => number = Math.random,
): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (tries > 0) await sleep(random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1)));
    const result = await attempt();
    if (result !== 'try again') return result;
  }
  throw exhausted();
}
