import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { OutboundLimits } from './outbound-limits.ts';
import { type OutboundBody, type Sending, sendBody } from './send-body.ts';

/** The head of an answer, its body still to be read; or why none came, though the request may have been received. */
export type Exchange =
  | { outcome: 'answered'; response: IncomingMessage }
  | { outcome: 'ambiguous'; code: ExchangeFailure; detail?: string | undefined };

/** Why no answer came after the first byte was written. */
export type ExchangeFailure =
  | Exclude<Sending, 'sent' | 'stopped'>
  | 'answer_timeout'
  | 'connection_lost'
  | 'malformed_answer'
  | 'deadline';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: OutboundBody | undefined;
}

interface Terms {
  readonly socket: Socket;
  readonly limits: OutboundLimits;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Interim answers (1xx) beyond this are an attempt to keep us waiting. */
const MAX_INTERIM_ANSWERS = 10;

/** Sends one request over a connection of its own and waits for the head of the answer; an answer that comes before the body is sent counts. */
export function exchange(wire: WireRequest, terms: Terms): Promise<Exchange> {
  const outgoing = startRequest(wire, terms);
  const sending = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
  let answerTimer: NodeJS.Timeout | undefined;

  const settle = (outcome: Exchange) => {
    if (sending.signal.aborted) return; // only the first outcome counts: what goes wrong later is the body's affair
    clearTimeout(answerTimer);
    terms.signal.removeEventListener('abort', pastDeadline);
    sending.abort();
    if (outcome.outcome === 'ambiguous') outgoing.destroy();
    resolve(outcome);
  };
  const fail = (code: ExchangeFailure, detail?: string) => settle({ outcome: 'ambiguous', code, detail });
  const pastDeadline = () => fail('deadline');
  terms.signal.addEventListener('abort', pastDeadline);

  let interim = 0;
  outgoing.on('information', () => {
    interim += 1;
    if (interim > MAX_INTERIM_ANSWERS) fail('malformed_answer', 'interim answers');
  });
  outgoing.on('response', (response) => settle(judged(response, terms.limits)));
  outgoing.on('error', (error: NodeJS.ErrnoException) => fail(failureOf(error), error.code));
  outgoing.on('close', () => fail('connection_lost'));

  const onSent = (sent: Sending) => {
    if (sent === 'stopped' || sending.signal.aborted) return;
    if (sent !== 'sent') return fail(sent);
    answerTimer = setTimeout(() => fail('answer_timeout'), terms.limits.answerMs);
  };
  const onSourceFailure = (error: unknown) => {
    outgoing.destroy();
    reject(error);
    fail('connection_lost');
  };
  const body = wire.body ?? { size: 0, open: async function* () {} };
  sendBody(outgoing, body, { limits: terms.limits, now: terms.now, signal: sending.signal }).then(
    onSent,
    onSourceFailure,
  );
  return promise;
}

/** No agent: a connection is never shared between requests, and no proxy of the environment is used. */
function startRequest(wire: WireRequest, { socket, limits }: Terms): ClientRequest {
  return httpRequest({
    createConnection: () => socket,
    method: wire.method,
    path: wire.path,
    headers: { ...wire.headers, connection: 'close' },
    setHost: false,
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
  });
}

function judged(response: IncomingMessage, limits: OutboundLimits): Exchange {
  response.on('error', () => {}); // whoever reads the body sees it; if nobody does, it must not end the process
  if (response.rawHeaders.length / 2 <= limits.maxHeaders) return { outcome: 'answered', response };
  response.destroy();
  return { outcome: 'ambiguous', code: 'malformed_answer', detail: 'too many headers' };
}

function failureOf(error: NodeJS.ErrnoException): ExchangeFailure {
  return error.code?.startsWith('HPE_') ? 'malformed_answer' : 'connection_lost';
}
