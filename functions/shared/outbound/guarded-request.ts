import type { IncomingHttpHeaders } from 'node:http';
import { cappedBody } from './capped-body.ts';
import { type ExchangeFailure, exchange } from './exchange.ts';
import { INTERNET, type Network } from './network.ts';
import { type ConnectFailure, openConnection } from './open-connection.ts';
import type { OutboundLimits } from './outbound-limits.ts';
import { type Destination, publicUrl, type UrlRules } from './public-url.ts';
import { type Resolution, resolvePublic } from './resolve.ts';
import type { OutboundBody } from './send-body.ts';

/** A request to a URL someone else chose. */
export interface OutboundRequest extends UrlRules {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Host, Content-Length, Connection and Accept-Encoding are set by the client itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: OutboundBody;
  readonly limits: OutboundLimits;
  /** When to give up at the latest, in milliseconds since 1970: the end of the caller's lease. @default the limits' total */
  readonly deadlineMs?: number;
}

/** An answer whose body is still on its way. Read the body or discard it, or the connection stays open until the deadline. */
export interface Answer {
  readonly outcome: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As `[name, value, name, value, ...]`, repeated headers included. */
  readonly rawHeaders: readonly string[];
  /** Throws `BodyCut` when it breaks a limit. */
  readonly body: AsyncIterable<Buffer>;
  discard(): void;
}

/**
 * How a request ended. `never-sent`: no byte left us, sending again is safe. `ambiguous`: it may have been
 * received. `blocked`: the URL leads where no request may go; `reason` is for logs. `detail` is an error code
 * of the system or of TLS. None of them carries an address.
 */
export type OutboundOutcome =
  | Answer
  | {
      outcome: 'never-sent';
      code: 'dns_failed' | 'dns_timeout' | ConnectFailure;
      detail?: string | undefined;
    }
  | { outcome: 'ambiguous'; code: ExchangeFailure; detail?: string | undefined }
  | { outcome: 'blocked'; reason: string };

/**
 * The only way out to a URL of a client: checks the URL, resolves its name once, dials one of exactly the
 * approved addresses, and holds the answer to its limits. Redirects are answers like any other.
 */
export async function guardedRequest(
  request: OutboundRequest,
  network: Network = INTERNET,
): Promise<OutboundOutcome> {
  const { limits } = request;
  const checked = publicUrl(request.url, request);
  if (checked.outcome === 'refused') return { outcome: 'blocked', reason: checked.reason };
  const { url, destination } = checked;

  const deadline = startDeadline(request, network);
  const { signal } = deadline;
  if (deadline.leftMs === 0) return deadline.ended(PAST_DEADLINE);
  const resolution = await addressesOf(destination, Math.min(limits.dnsMs, deadline.leftMs), network);
  if (resolution.outcome === 'blocked') return deadline.ended(resolution);
  if (resolution.outcome === 'unresolved') return deadline.ended({ ...resolution, outcome: 'never-sent' });

  const hostName = destination.kind === 'name' ? destination.name : destination.address;
  const isTls = url.protocol === 'https:';
  const port = Number(url.port) || (isTls ? 443 : 80);
  const target = { addresses: resolution.addresses, port, hostName, isTls };
  const connection = await openConnection(target, { network, limits, signal });
  if (connection.outcome === 'blocked') return deadline.ended(connection);
  if (connection.outcome === 'failed') return deadline.ended({ ...connection, outcome: 'never-sent' });

  const { socket } = connection;
  if (signal.aborted) {
    socket.destroy();
    return deadline.ended(PAST_DEADLINE);
  }
  const wire = {
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: headersOf(request, url),
    body: request.body,
  };
  const exchanged = await exchange(wire, { socket, limits, signal, now: network.now });
  if (exchanged.outcome === 'ambiguous') return deadline.ended(exchanged);

  const { response } = exchanged;
  response.once('close', () => deadline.clear());
  return {
    outcome: 'answered',
    status: response.statusCode ?? 0,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    body: cappedBody(response, { limits, signal, now: network.now }),
    discard: () => response.destroy(),
  };
}

const PAST_DEADLINE = { outcome: 'never-sent', code: 'deadline' } as const;

function headersOf(request: OutboundRequest, url: URL): Record<string, string | number> {
  const headers = {
    ...request.headers,
    host: url.host.replace(/\.(?=$|:)/, ''),
    'accept-encoding': 'identity',
  };
  return request.body === undefined ? headers : { ...headers, 'content-length': request.body.size };
}

async function addressesOf(destination: Destination, limitMs: number, network: Network): Promise<Resolution> {
  if (destination.kind === 'address') return { outcome: 'resolved', addresses: [destination.address] };
  if (destination.name === 'localhost') return { outcome: 'resolved', addresses: ['127.0.0.1', '::1'] };
  return resolvePublic(destination.name, { resolver: network.newResolver(), limitMs });
}

interface Deadline {
  readonly signal: AbortSignal;
  readonly leftMs: number;
  clear(): void;
  ended<Outcome>(outcome: Outcome): Outcome;
}

function startDeadline({ limits, deadlineMs }: OutboundRequest, network: Network): Deadline {
  const callerLeftMs = (deadlineMs ?? Number.POSITIVE_INFINITY) - network.now();
  const leftMs = Math.max(0, Math.min(limits.totalMs, callerLeftMs));
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), leftMs);
  const clear = () => clearTimeout(timer);
  const ended = <Outcome>(outcome: Outcome) => {
    clear();
    return outcome;
  };
  return { signal: controller.signal, leftMs, clear, ended };
}
