import type { World } from './world.ts';

/** What can befall a call: its process ends before or after it, it fails, or only its answer is lost. */
export type Fault = 'crash-before' | 'crash-after' | 'fail-before' | 'lose-reply';

/** Decides what befalls a call; `call` is like `table.commit`, counted from 1 within its process. */
export type FaultPlane = (of: { process: string; call: string; nth: number }) => Fault | undefined;

/** One run of a worker or a request: it makes calls, and may end in the middle of any of them. */
export interface Process {
  readonly name: string;
  /** Its own clock, which may be off. */
  readonly clock: () => number;
  /** Makes a call of this process to the outside. */
  call<T>(name: string, perform: () => T | Promise<T>): Promise<T>;
  sleep(ms: number): Promise<void>;
  kill(): void;
}

export type Ended = 'done' | 'failed' | 'crashed';

interface ProcessOptions {
  readonly name: string;
  readonly faults?: FaultPlane | undefined;
  /** How far its clock is off. @default 0 */
  readonly skewMs?: number;
  /** How long a call takes, each way. @default 1 to 15 ms */
  readonly latencyMs?: (() => number) | undefined;
  /** Is told why it failed. */
  readonly failed?: (error: Error) => void;
  /** It is ended after so long. */
  readonly timeoutMs: number;
}

class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/** Runs work as a process of the world, until it ends in one way or another. */
export function run(
  world: World,
  options: ProcessOptions,
  work: (process: Process) => Promise<unknown>,
): Promise<Ended> {
  const { name, faults, skewMs = 0, timeoutMs } = options;
  const latencyMs = options.latencyMs ?? (() => world.between(1, 15));
  return new Promise((resolve) => {
    let isAlive = true;
    let calls = 0;
    const kill = () => {
      isAlive = false;
      resolve('crashed');
    };
    // What a dead process waits for never comes.
    const whileAlive = <T>(
      begin: (settle: { resolve: (value: T) => void; reject: (e: Error) => void }) => void,
    ) =>
      new Promise<T>((settled, rejected) => {
        begin({
          resolve: (value) => isAlive && settled(value),
          reject: (error) => isAlive && rejected(error),
        });
      });
    const process: Process = {
      name,
      kill,
      clock: () => world.now() + skewMs,
      sleep: (ms) => whileAlive<void>(({ resolve: wake }) => world.after(ms, () => wake())),
      call: (call, perform) =>
        whileAlive(({ resolve: answer, reject }) => {
          calls += 1;
          const fault = faults?.({ process: name, call, nth: calls });
          world.after(latencyMs(), async () => {
            if (!isAlive) return;
            if (fault === 'crash-before') return kill();
            if (fault === 'fail-before') return reject(new CallFailed(call));
            let result: Awaited<ReturnType<typeof perform>>;
            try {
              result = await perform();
            } catch (error) {
              return reject(error as Error);
            }
            if (fault === 'crash-after') return kill();
            if (fault === 'lose-reply') return reject(new CallFailed(call));
            world.after(latencyMs(), () => answer(result));
          });
        }),
    };
    world.after(timeoutMs, () => isAlive && kill());
    work(process).then(
      () => resolve('done'),
      (error: Error) => {
        options.failed?.(error);
        resolve('failed');
      },
    );
  });
}
