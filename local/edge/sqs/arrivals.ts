/** Lets receivers wait for a queue's next message instead of asking again and again. */
export interface Arrivals {
  /** Resolves when a message may be there, or after `waitMs`, or when `signal` aborts. */
  wait(queue: string, waitMs: number, signal: AbortSignal): Promise<void>;
  /** Says that a message arrived now. */
  announce(queue: string): void;
  close(): void;
}

/** No timer sleeps longer, so that a clock set forward by a test is noticed. */
const LONGEST_SLEEP_MS = 500;

/** `dueAt` is when a queue's next message becomes visible: delays and visibility timeouts end without a call. */
export function arrivals(dueAt: (queue: string) => number | undefined, now: () => number): Arrivals {
  const waiting = new Map<string, Set<() => void>>();
  const announce = (queue: string) => {
    for (const wake of [...(waiting.get(queue) ?? [])]) wake();
  };

  return {
    announce,
    wait: (queue, waitMs, signal) =>
      new Promise((resolve) => {
        const until = performance.now() + waitMs;
        let timer: NodeJS.Timeout | undefined;
        const wake = () => {
          clearTimeout(timer);
          waiting.get(queue)?.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const sleep = () => {
          const due = (dueAt(queue) ?? Number.POSITIVE_INFINITY) - now();
          const left = until - performance.now();
          if (due <= 0 || left <= 0 || signal.aborted) wake();
          else timer = setTimeout(sleep, Math.ceil(Math.min(due, left, LONGEST_SLEEP_MS)));
        };
        waiting.set(queue, (waiting.get(queue) ?? new Set()).add(wake));
        signal.addEventListener('abort', wake);
        sleep();
      }),
    close: () => {
      for (const queue of waiting.keys()) announce(queue);
    },
  };
}
