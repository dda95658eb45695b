import { setImmediate as drained } from 'node:timers/promises';
import { seededRandom } from '../../../local/edge/seeded-random.ts';

/** A virtual clock and all that will happen on it, drawn from one seed: the same seed is the same history. */
export interface World {
  readonly seed: number;
  now(): number;
  random(): number;
  /** A whole number from `least` up to and including `most`. */
  between(least: number, most: number): number;
  /** A version-4-like UUID of this world. */
  uuid(): string;
  /** Has something happen so many milliseconds from now. */
  after(ms: number, happens: () => unknown): void;
  sleep(ms: number): Promise<void>;
  /** Lets everything happen that is due up to a moment. */
  runUntil(ms: number): Promise<void>;
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly happens: () => unknown;
}

/** Saturday noon, UTC. */
export const START_MS = Date.UTC(2026, 0, 3, 12);

/** Makes a world. Code under test runs in it as it is: each of its calls waits for an event of this loop. */
export function world(seed: number): World {
  const random = seededRandom(seed);
  const heap: Event[] = [];
  let nowMs = START_MS;
  let order = 0;
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  const after = (ms: number, happens: () => unknown) => {
    order += 1;
    push(heap, { at: nowMs + Math.max(0, ms), order, happens });
  };
  return {
    seed,
    now: () => nowMs,
    random,
    between,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    after,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    async runUntil(ms) {
      for (let next = heap[0]; next && next.at <= ms; next = heap[0]) {
        pop(heap);
        nowMs = Math.max(nowMs, next.at);
        await next.happens();
        await drained();
      }
      nowMs = Math.max(nowMs, ms);
    },
  };
}

const isBefore = (a: Event, b: Event) => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Event[], event: Event): void {
  let at = heap.length;
  heap.push(event);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Event;
    if (!isBefore(event, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop() as Event;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1] as Event, heap[below] as Event)) below += 1;
    if (!isBefore(heap[below] as Event, last)) break;
    heap[at] = heap[below] as Event;
    at = below;
  }
  heap[at] = last;
}
