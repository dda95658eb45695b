import type { Scheduler } from '../../../functions/shared/scheduler.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** How EventBridge Scheduler behaves where its guide leaves it open, and, by `loses`, beyond it. */
export interface SchedulerHabits {
  /** A schedule fires at its time plus less than this. @default 60,000 */
  readonly latestMs?: number;
  /** The chance that one fires twice. @default 0.05 */
  readonly duplicates?: number;
  /** @default none */
  readonly loses?: () => boolean;
}

/** One-time schedules on the world's clock. */
export interface SimulatedScheduler {
  for(process: Process): Scheduler;
}

export function simulatedScheduler(
  world: World,
  { latestMs = 60_000, duplicates = 0.05, loses = () => false }: SchedulerHabits,
  fire: (message: object) => void,
): SimulatedScheduler {
  const set = new Set<string>();
  const arrange = (name: string, atMs: number, message: object) => {
    if (set.has(name)) return;
    set.add(name);
    if (loses()) return;
    const firesInMs = () =>
      Math.floor(atMs / 1000) * 1000 - world.now() + Math.floor(world.random() * latestMs);
    const firing = () => set.has(name) && fire(message);
    world.after(firesInMs(), firing);
    if (world.random() < duplicates) world.after(firesInMs(), firing);
  };
  return {
    for: (process) => ({
      schedule: ({ name, atMs, message }) =>
        process.call('scheduler.schedule', () => arrange(name, atMs, message)),
      // What has been cancelled may fire all the same, if it was just about to.
      cancel: (name) =>
        process.call('scheduler.cancel', () => void (world.random() < 0.9 && set.delete(name))),
    }),
  };
}
