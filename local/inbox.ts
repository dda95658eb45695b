import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptHandler } from './answer-script.ts';
import type { RequestHandler } from './gateway/api.ts';
import { answerError } from './gateway/error-answer.ts';
import { splitTarget } from './gateway/http-event.ts';
import { Behaviour, scriptedAnswers } from './inbox/behaviour.ts';
import type { ReceivedDelivery } from './inbox/delivery.ts';
import { type DeliveryLog, openDeliveryLog } from './inbox/delivery-log.ts';
import { readParts } from './inbox/read-parts.ts';
import { checkSignature, type SecretsOf } from './inbox/verify-signature.ts';

/**
 * A webhook receiver that keeps what it gets: `GET /deliveries`, `DELETE /deliveries`, `POST /behaviour`;
 * any other POST is a delivery. It checks signatures with code of its own, not the sender's.
 */
export function openInbox(options: {
  /** Where deliveries are kept, as JSON lines. */
  readonly file: string;
  /** Its own address, without a slash at the end. */
  readonly url: string;
  readonly secretsOf: SecretsOf;
}): RequestHandler {
  const log = openDeliveryLog(options.file);
  const script = scriptedAnswers();
  const basePath = new URL(options.url).pathname;

  const setBehaviour = scriptHandler(Behaviour, script.play);

  const receive: RequestHandler = async (request, response) => {
    const path = pathOf(request, basePath);
    const delivery = await readDelivery(request, path, options.secretsOf);
    if (!delivery) return;
    log.add(delivery);
    const scripted = script.next(path);
    if (scripted && scripted.delay_ms > 0) await sleep(scripted.delay_ms);
    for (const [name, value] of Object.entries(scripted?.headers ?? {})) response.setHeader(name, value);
    if (scripted) sendJson(response, scripted.status, scripted.body);
    else sendJson(response, 200, receiptOf(delivery, options.url));
  };

  return async (request, response) => {
    const asked = `${request.method} ${pathOf(request, basePath)}`;
    if (asked === 'GET /deliveries') return sendJson(response, 200, log.all());
    if (asked.startsWith('GET /deliveries/')) return sendDelivery(response, log, asked);
    if (asked === 'DELETE /deliveries') {
      log.clear();
      return sendJson(response, 204, undefined);
    }
    if (asked === 'POST /behaviour') return setBehaviour(request, response);
    if (request.method === 'POST') return receive(request, response);
    answerError(response, 'not_found', `the inbox has no ${asked}`);
  };
}

async function readDelivery(
  request: IncomingMessage,
  path: string,
  secretsOf: SecretsOf,
): Promise<ReceivedDelivery | undefined> {
  const receivedAt = new Date().toISOString();
  const signature = await checkSignature(headerOf(request, 'x-service-signature'), path, secretsOf);
  const parts = readParts(request.headers['content-type'] ?? '');
  try {
    for await (const chunk of request) {
      signature.update(chunk);
      await parts.write(chunk);
    }
  } catch (error) {
    // The sender went away in the middle: nothing was delivered.
    if (request.destroyed) return undefined;
    throw error;
  }
  const { meta, media } = await parts.end();
  return {
    delivery_id: headerOf(request, 'x-service-delivery-id') ?? null,
    received_at: receivedAt,
    path,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    meta,
    media,
    signature_valid: await signature.isValid(),
  };
}

function receiptOf({ delivery_id }: ReceivedDelivery, inboxUrl: string): object {
  if (delivery_id === null) return { ok: true };
  return { ok: true, remoteId: `inbox-${delivery_id}`, url: `${inboxUrl}/deliveries/${delivery_id}` };
}

function sendDelivery(response: ServerResponse, log: DeliveryLog, asked: string): void {
  const id = asked.slice('GET /deliveries/'.length);
  const delivery = log.all().findLast(({ delivery_id }) => delivery_id === id);
  if (delivery) sendJson(response, 200, delivery);
  else answerError(response, 'not_found', `the inbox received no delivery ${id}`);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  if (text !== '' && !response.hasHeader('content-type')) {
    response.setHeader('content-type', 'application/json; charset=utf-8');
  }
  response.writeHead(status).end(text);
}

function pathOf(request: IncomingMessage, basePath: string): string {
  return splitTarget(request.url ?? '/')[0].slice(basePath.length);
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  return request.headers[name]?.toString();
}
