import type { guardedRequest } from '../../../shared/outbound/guarded-request.ts';
import { webhookLimits } from '../../../shared/outbound/outbound-limits.ts';
import type { UrlRules } from '../../../shared/outbound/public-url.ts';
import { classifyAnswer } from './answered.ts';
import { type DeliveryContent, deliveryBody } from './delivery-body.ts';
import type { DeliveryOutcome } from './delivery-outcome.ts';
import { signatureHeaders } from './signature.ts';
import { classifyUnanswered } from './unanswered.ts';

/** One delivery of a post to one webhook channel; all of it but the channel is the same for every attempt. */
export interface Delivery {
  /** A UUID, the same for every attempt, so that receivers can tell a repeat. */
  readonly deliveryId: string;
  readonly content: DeliveryContent;
  readonly channel: { readonly url: string; readonly secret: string };
}

/** What an attempt needs from outside. */
export interface DeliveryTerms {
  readonly send: typeof guardedRequest;
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
  /** When the attempt must be over: the end of the caller's lease, with room to record the outcome. */
  readonly deadlineMs: number;
  /** Set by the local service alone. */
  readonly loopback?: UrlRules['loopback'];
}

/**
 * Makes one attempt at a delivery: reads the body once to sign it, and once to send it. At least once by
 * contract, so an attempt of unknown fate is tried again, with the same id and bytes.
 *
 * @throws whatever reading the media throws: a failure of ours, not of the endpoint.
 */
export async function deliver(delivery: Delivery, terms: DeliveryTerms): Promise<DeliveryOutcome> {
  const { channel, content, deliveryId } = delivery;
  const body = deliveryBody(content);
  const timestampMs = terms.now();
  const signed = await signatureHeaders({ body, secret: channel.secret, deliveryId, timestampMs });
  const ended = await terms.send({
    url: channel.url,
    method: 'POST',
    headers: { ...signed, 'Content-Type': body.contentType, Accept: 'application/json' },
    body,
    limits: webhookLimits(body.size),
    deadlineMs: terms.deadlineMs,
    loopback: terms.loopback,
  });
  return ended.outcome === 'answered' ? classifyAnswer(ended, terms.now()) : classifyUnanswered(ended);
}
