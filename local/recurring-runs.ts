import type { Stoppable } from './event-sources.ts';
import type { FunctionRuntime } from './functions/runtime.ts';
import type { ServiceModel } from './service-model.ts';

/**
 * Runs functions at their interval, first at once: the service may have been down while something fell due.
 * A run that outlasts its interval is not doubled here, though on AWS it would be.
 */
export function startRecurringRuns(options: {
  readonly model: ServiceModel;
  readonly runtime: FunctionRuntime;
  /** Replaces the template's interval, for tests that cannot wait a minute. */
  readonly everySeconds?: number | undefined;
}): Stoppable {
  const running = new Set<Promise<unknown>>();
  const timers = options.model.recurring.map(({ functionId, everySeconds }) => {
    let isRunning = false;
    const run = async (): Promise<void> => {
      if (isRunning) return;
      isRunning = true;
      const invocation = options.runtime.invoke(functionId, '{}');
      running.add(invocation);
      await invocation;
      running.delete(invocation);
      isRunning = false;
    };
    void run();
    return setInterval(() => void run(), (options.everySeconds ?? everySeconds) * 1000);
  });
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}
