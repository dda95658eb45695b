import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Json } from './json.ts';
import type { Principal } from './principals.ts';

/** A call the edge has identified; `body` and `input` are empty for services whose bodies stream. */
export interface EdgeCall {
  readonly principal: Principal;
  readonly instance: string;
  readonly service: string;
  readonly operation: string;
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly input: Json;
  /** Aborts when the caller hangs up. */
  readonly gone: () => AbortSignal;
}

/** A permission a call needs. `context` holds the condition keys that go with it. */
export interface Need {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

/** What a call cost, as far as the service says. */
export interface Usage {
  readonly readUnits?: number;
  readonly writeUnits?: number;
  /** Items a read looked at, whether or not it returned them. */
  readonly itemsRead?: number;
}

/** What goes back to the caller. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: Buffer | string | Readable;
  readonly usage?: Usage;
  /** The error's name, where the engine refused. */
  readonly error?: string;
}

/** One AWS service as the edge serves it: what a call is, what it needs, and how it is done. */
export interface EdgeService {
  /** Whether bodies stream through instead of being read first. */
  readonly streams: boolean;
  /** The operation's name, from the request alone. @throws {AwsError} when it is none of ours */
  operation(request: IncomingMessage, path: string, query: URLSearchParams): string;
  /** The permissions this call needs. @throws {AwsError} when its input makes no sense */
  needs(call: EdgeCall): readonly Need[];
  perform(call: EdgeCall): Promise<Answer>;
  /** An error in the service's own wire format. */
  refusal(error: {
    readonly code: string;
    readonly message: string;
    readonly status: number;
    readonly details: Json;
  }): Answer;
  /** Headers for a browser of another origin; undefined when it may not. Only S3 is called by browsers. */
  cors?(request: IncomingMessage, path: string): Readonly<Record<string, string>> | undefined;
  /** What the service says when it is overloaded, and when it breaks. */
  readonly throttled: { readonly code: string; readonly status: number };
  readonly broken: { readonly code: string; readonly status: number };
}
