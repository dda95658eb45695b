import { Worker } from 'node:worker_threads';
import type { Invocation, WorkerReport, WorkerRequest, WorkerStart } from './invocation.ts';

/** One warm copy of a function: a worker thread that runs one invocation at a time, as Lambda does. */
export interface FunctionInstance {
  readonly id: string;
  /** False from the moment its worker is gone. */
  isAlive(): boolean;
  /** Runs one event; never rejects. The caller waits for the end before it gives the next. */
  invoke(requestId: string, event: string): Promise<Invocation>;
  /** Ends the worker at once, whatever it is doing. */
  kill(): Promise<void>;
}

/** What an instance is made of. */
export interface InstanceOptions {
  readonly id: string;
  readonly start: WorkerStart;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** Takes what the function writes to its console. */
  readonly log: (chunk: Buffer) => void;
  readonly onInvoke: (requestId: string) => void;
}

type Report = WorkerReport | { readonly kind: 'died'; readonly error: string };

/** Starts a worker with the function's environment and nothing of ours. */
export function startInstance(options: InstanceOptions): FunctionInstance {
  const { id, start, timeoutSeconds, log } = options;
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: start.functionName,
    workerData: start,
    env: { ...options.environment },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: start.memoryMegabytes },
  });
  worker.stdout.on('data', log);
  worker.stderr.on('data', log);

  let isAlive = true;
  let death = 'its worker was killed';
  let settle: (report: Report) => void = () => {};
  const nextReport = (): Promise<Report> =>
    isAlive
      ? new Promise((resolve) => {
          settle = resolve;
        })
      : Promise.resolve({ kind: 'died', error: death });
  worker.on('message', (report: WorkerReport) => settle(report));
  worker.on('error', (error: unknown) => {
    death = error instanceof Error ? (error.stack ?? error.message) : String(error);
  });
  worker.on('exit', () => {
    isAlive = false;
    settle({ kind: 'died', error: death });
  });
  const ready = nextReport();

  return {
    id,
    isAlive: () => isAlive,
    kill: async () => void (await worker.terminate()),
    invoke: async (requestId, event) => {
      const loaded = await ready;
      if (loaded.kind === 'died') return { outcome: 'failed', requestId, error: loaded.error };
      const request: WorkerRequest = { requestId, event, deadlineMs: Date.now() + timeoutSeconds * 1000 };
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        void worker.terminate();
      }, timeoutSeconds * 1000);
      options.onInvoke(requestId);
      const reported = nextReport();
      worker.postMessage(request);
      const report = await reported;
      clearTimeout(timer);
      return outcomeOf(report, requestId, isLate);
    },
  };
}

function outcomeOf(report: Report, requestId: string, isLate: boolean): Invocation {
  switch (report.kind) {
    case 'answered':
      return { outcome: 'answered', requestId, payload: report.payload };
    case 'threw':
      return { outcome: 'failed', requestId, error: report.error };
    case 'died':
      return isLate
        ? { outcome: 'timed out', requestId }
        : { outcome: 'crashed', requestId, error: report.error };
    case 'ready':
      return { outcome: 'crashed', requestId, error: 'its worker started twice' };
  }
}
