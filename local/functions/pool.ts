import type { FunctionInstance } from './instance.ts';
import type { Invocation } from './invocation.ts';

/** The instances of one function. */
export interface FunctionPool {
  /** Runs an event on a free instance, or on a new one while there are few, or waits for one. */
  invoke(requestId: string, event: string): Promise<Invocation>;
  /** Ends the instance with this id, if it is one of these. */
  kill(instanceId: string): void;
  /** Ends instances that have had nothing to do since this time, in epoch milliseconds. */
  reap(idleSinceMs: number): void;
  /** Ends all instances. */
  stop(): Promise<void>;
}

interface IdleInstance {
  readonly instance: FunctionInstance;
  readonly sinceMs: number;
}

/** Makes a pool that grows on demand up to `maxInstances`; the last used instance is used next. */
export function functionPool(maxInstances: number, start: () => FunctionInstance): FunctionPool {
  const instances = new Set<FunctionInstance>();
  const waiting: ((instance: FunctionInstance) => void)[] = [];
  let idle: IdleInstance[] = [];

  const grow = (): FunctionInstance => {
    const instance = start();
    instances.add(instance);
    return instance;
  };

  const acquire = async (): Promise<FunctionInstance> => {
    for (let free = idle.pop(); free; free = idle.pop()) {
      if (free.instance.isAlive()) return free.instance;
      instances.delete(free.instance);
    }
    if (instances.size < maxInstances) return grow();
    return new Promise((resolve) => waiting.push(resolve));
  };

  const release = (instance: FunctionInstance): void => {
    if (!instance.isAlive()) instances.delete(instance);
    const next = waiting.shift();
    if (next) next(instance.isAlive() ? instance : grow());
    else if (instance.isAlive()) idle.push({ instance, sinceMs: Date.now() });
  };

  return {
    invoke: async (requestId, event) => {
      const instance = await acquire();
      const invocation = await instance.invoke(requestId, event);
      release(instance);
      return invocation;
    },
    kill: (instanceId) => {
      for (const instance of instances) if (instance.id === instanceId) void instance.kill();
    },
    reap: (idleSinceMs) => {
      for (const { instance } of idle.filter(({ sinceMs }) => sinceMs < idleSinceMs)) {
        instances.delete(instance);
        void instance.kill();
      }
      idle = idle.filter(({ sinceMs }) => sinceMs >= idleSinceMs);
    },
    stop: async () => {
      await Promise.all([...instances].map((instance) => instance.kill()));
    },
  };
}
