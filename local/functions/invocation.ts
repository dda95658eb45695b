/** What the runtime asks of a function's worker: one event, as JSON text. */
export interface WorkerRequest {
  readonly requestId: string;
  readonly event: string;
  /** Epoch milliseconds at which the invocation is cut off. */
  readonly deadlineMs: number;
}

/** What a worker reports: that it has loaded its bundle, or how an invocation ended. */
export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answered'; readonly payload: string }
  | { readonly kind: 'threw'; readonly error: string };

/** What a worker needs to know at its start. */
export interface WorkerStart {
  /** Absolute path of the bundle. */
  readonly modulePath: string;
  readonly exportName: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
}

/** How an invocation ended. `payload` is JSON text, untouched. */
export type Invocation =
  | { readonly outcome: 'answered'; readonly requestId: string; readonly payload: string }
  /** The handler threw, or could not be loaded. */
  | { readonly outcome: 'failed'; readonly requestId: string; readonly error: string }
  /** The worker died under the invocation. */
  | { readonly outcome: 'crashed'; readonly requestId: string; readonly error: string }
  | { readonly outcome: 'timed out'; readonly requestId: string };
