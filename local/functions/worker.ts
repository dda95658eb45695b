import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerReport, WorkerRequest, WorkerStart } from './invocation.ts';

/** Lambda's own ceiling for a synchronous answer. */
const ANSWER_LIMIT_BYTES = 6 * 1024 * 1024;

const start: WorkerStart = workerData;
const port = parentPort;
if (!port) throw new Error('this module runs in a worker thread');

const handler = await loadHandler();

port.on('message', (request: WorkerRequest) => void invoke(request).then(report));
report({ kind: 'ready' });

async function loadHandler(): Promise<(event: unknown, context: object) => unknown> {
  const loaded = await import(pathToFileURL(start.modulePath).href);
  const exported = loaded[start.exportName];
  if (typeof exported === 'function') return exported;
  throw new Error(`${start.modulePath} exports no ${start.exportName}`);
}

async function invoke({ requestId, event, deadlineMs }: WorkerRequest): Promise<WorkerReport> {
  process.env._X_AMZN_TRACE_ID = traceId(requestId);
  const context = {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: start.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: start.functionArn,
    memoryLimitInMB: String(start.memoryMegabytes),
    logGroupName: `/aws/lambda/${start.functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  };
  try {
    const payload = JSON.stringify((await handler(JSON.parse(event), context)) ?? null);
    const bytes = Buffer.byteLength(payload);
    if (bytes <= ANSWER_LIMIT_BYTES) return { kind: 'answered', payload };
    return {
      kind: 'threw',
      error: `the answer of ${bytes} bytes is larger than Lambda's ${ANSWER_LIMIT_BYTES}`,
    };
  } catch (error) {
    return { kind: 'threw', error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function report(message: WorkerReport): void {
  port?.postMessage(message);
}

/** An X-Ray trace id made of the request's own id, so that AWS calls can be counted per request. */
function traceId(requestId: string): string {
  const hex = requestId.replaceAll('-', '');
  return `Root=1-${hex.slice(0, 8)}-${hex.slice(8)};Parent=${hex.slice(0, 16)};Sampled=0`;
}
