import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'lossless-json';
import { BodyCut } from '../../shared/outbound/capped-body.ts';
import type { Answer, guardedRequest } from '../../shared/outbound/guarded-request.ts';
import { type PlatformCallKind, platformLimits } from '../../shared/outbound/outbound-limits.ts';
import type { UrlRules } from '../../shared/outbound/public-url.ts';
import { type CallBody, encoded, type Fields, wireBody } from './call-body.ts';

/** One call to a platform's API. */
export interface PlatformCall {
  /** Decides how long it may take. */
  readonly kind: PlatformCallKind;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly query?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: CallBody;
  /** When the caller's time is over, in milliseconds since the epoch. @default the kind's own limit */
  readonly deadlineMs?: number;
}

/** An answer, read to its end where it could be. */
export interface PlatformAnswer {
  readonly outcome: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its JSON, integers beyond 2^53 as text; undefined when there is none, or it was cut short. */
  readonly body: unknown;
}

/**
 * How a call ended. `never-sent`: no byte left us, so it had no effect. `ambiguous`: it may have been
 * received; so may one answered with what nobody can read.
 */
export type CallOutcome =
  | PlatformAnswer
  | { readonly outcome: 'never-sent'; readonly code: string }
  | { readonly outcome: 'ambiguous'; readonly code: string };

/** Calls a platform, once: no layer below repeats a call by itself. */
export type PlatformClient = (call: PlatformCall) => Promise<CallOutcome>;

interface Needs {
  readonly request: typeof guardedRequest;
  /** Set by the local service alone, whose platforms are on this machine. */
  readonly loopback?: UrlRules['loopback'];
}

/** The client over the one guarded way out. */
export function platformClient({ request, loopback }: Needs): PlatformClient {
  return async (call) => {
    const query = call.query === undefined ? '' : encoded(call.query).toString();
    const wire = call.body && wireBody(call.body);
    const ended = await request({
      url: query === '' ? call.url : `${call.url}${call.url.includes('?') ? '&' : '?'}${query}`,
      method: call.method,
      headers: {
        accept: 'application/json',
        'user-agent': 'SocialPostService/1',
        ...(wire && { 'content-type': wire.contentType }),
        ...call.headers,
      },
      ...(wire && { body: wire.body }),
      limits: platformLimits(call.kind),
      ...(call.deadlineMs !== undefined && { deadlineMs: call.deadlineMs }),
      loopback,
    });
    switch (ended.outcome) {
      case 'blocked':
        return { outcome: 'never-sent', code: 'blocked' };
      case 'never-sent':
      case 'ambiguous':
        return { outcome: ended.outcome, code: ended.code };
      case 'answered':
        return {
          outcome: 'answered',
          status: ended.status,
          headers: ended.headers,
          body: await readBody(ended),
        };
    }
  };
}

async function readBody(answer: Answer): Promise<unknown> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer.body) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof BodyCut)) throw error;
    return undefined;
  }
  return parsedJson(Buffer.concat(chunks).toString('utf8'));
}

/** JSON with its large integers kept as text, since TikTok's ids do not fit a double; undefined for anything else. */
export function parsedJson(text: string): unknown {
  try {
    return parse(text, undefined, { parseNumber: exactNumber });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const exactNumber = (text: string): number | string =>
  /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? text : Number(text);
