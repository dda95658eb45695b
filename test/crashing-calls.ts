/** The place of a crash: before or after the nth call of a process, from 1. */
export interface Boundary {
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** Puts something in the way of all calls of a port, and changes nothing else about it. */
export type Through = <Port extends object>(port: Port) => Port;

/** The boundaries of so many calls, in their order. */
export const boundariesOf = (calls: number): Boundary[] =>
  Array.from({ length: calls }, (_, index) => index + 1).flatMap((nth) => [
    { nth, when: 'before' as const },
    { nth, when: 'after' as const },
  ]);

/**
 * Runs work as a process that ends at a boundary. Whatever it waits for from then on never comes, so nothing
 * that would follow is done, not even what catches errors.
 */
export function runCrashing<T>(
  at: Boundary | undefined,
  work: (through: Through) => Promise<T>,
): Promise<
  { readonly ended: 'done'; readonly calls: number; readonly result: T } | { readonly ended: 'crashed' }
> {
  return new Promise((resolve, reject) => {
    let isAlive = true;
    let calls = 0;
    const never = () => {
      isAlive = false;
      resolve({ ended: 'crashed' });
      return new Promise<never>(() => {});
    };
    const call = async (perform: () => unknown): Promise<unknown> => {
      calls += 1;
      const isIt = calls === at?.nth;
      if (!isAlive || (isIt && at.when === 'before')) return never();
      const result = await perform();
      return !isAlive || isIt ? never() : result;
    };
    const through: Through = (port) =>
      new Proxy(port, {
        get: (target, name) => {
          const member = Reflect.get(target, name);
          return typeof member === 'function'
            ? (...given: unknown[]) => call(() => member.apply(target, given))
            : member;
        },
      });
    work(through).then((result) => resolve({ ended: 'done', calls, result }), reject);
  });
}
