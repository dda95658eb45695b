import { createHmac } from 'node:crypto';
import type { DeliveryBody } from './delivery-body.ts';

/** What is signed, and with what; `timestampMs` is the time of the attempt. */
export interface Signing {
  readonly body: DeliveryBody;
  readonly secret: string;
  readonly deliveryId: string;
  readonly timestampMs: number;
}

/** How this service names itself to receivers. */
export const USER_AGENT = 'SocialPostPublishing/1.0';

const STANDARD_SECRET_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the body once and gives the headers of one attempt: our own signature over the body, and the three
 * of Standard Webhooks, whose signature also covers id and time, so that a receiver can refuse replays.
 */
export async function signatureHeaders(signing: Signing): Promise<Record<string, string>> {
  const { body, secret, deliveryId, timestampMs } = signing;
  const timestampSeconds = Math.floor(timestampMs / 1_000);
  const overBody = createHmac('sha256', secret);
  const standard = createHmac('sha256', standardKey(secret)).update(`${deliveryId}.${timestampSeconds}.`);
  for await (const chunk of body.open()) {
    overBody.update(chunk);
    standard.update(chunk);
  }
  return {
    'User-Agent': USER_AGENT,
    'X-Service-Signature': `sha256=${overBody.digest('hex')}`,
    'X-Service-Timestamp': String(timestampMs),
    'X-Service-Delivery-Id': deliveryId,
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${standard.digest('base64')}`,
  };
}

/**
 * The key of the Standard Webhooks signature: what `whsec_` encodes, as that specification has it, or else
 * the secret's own bytes, since our secrets are whatever the customer chose.
 */
function standardKey(secret: string): Buffer {
  const encoded = secret.slice(STANDARD_SECRET_PREFIX.length);
  const isEncoded = secret.startsWith(STANDARD_SECRET_PREFIX) && BASE64.test(encoded);
  return isEncoded ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}
