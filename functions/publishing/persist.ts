import { SECOND_MS } from '../shared/clock.ts';
import type { Running } from './take-step.ts';

const FIRST_WAIT_MS = SECOND_MS;
const LONGEST_WAIT_MS = 30 * SECOND_MS;

/** So much of a worker's time is left unused, for it to end in order. */
const SPARE_MS = 5 * SECOND_MS;

/**
 * Repeats what must be written down until it is, or until the worker's time is over.
 *
 * @throws what the last try threw.
 */
export async function persist<T>(
  write: () => Promise<T>,
  { clock, sleep, functionEndsMs }: Pick<Running, 'clock' | 'sleep' | 'functionEndsMs'>,
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (clock() + waitMs + SPARE_MS > functionEndsMs) throw error;
      await sleep(waitMs);
    }
  }
}
