import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';

/** How far a delivery's time may be from the receiver's clock, in seconds, either way. */
export const TOLERANCE_SECONDS = 300;

/** The headers of a request, by lowercase name, as Node gives them. */
export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether a delivery is genuine and fresh. Keep `deliveryId` for as long as you accept deliveries and
 * ignore one you have seen: a delivery is repeated until it is answered, with the same id and body.
 */
export type Verification =
  | { outcome: 'verified'; deliveryId: string; timestampSeconds: number }
  | { outcome: 'refused'; reason: 'headers' | 'timestamp' | 'signature' };

/** What a delivery is checked against. */
export interface WebhookCheck {
  readonly headers: WebhookHeaders;
  /** The signing secret of the channel, exactly as it was set there. */
  readonly secret: string;
  /** When the headers of the request arrived, in milliseconds since 1970; a large body may take minutes more. */
  readonly receivedAtMs: number;
}

/**
 * Verifies a delivery held in memory. `body` must be the raw bytes as received: parsing and printing them
 * again changes them.
 */
export function verifyWebhook(check: WebhookCheck & { readonly body: Uint8Array }): Verification {
  const verifier = webhookVerifier(check);
  verifier.update(check.body);
  return verifier.finish();
}

/** Verifies a delivery of any size while it is being received: `update` with each chunk, then `finish`, once. */
export function webhookVerifier({ headers, secret, receivedAtMs }: WebhookCheck): {
  update(chunk: Uint8Array): void;
  finish(): Verification;
} {
  const deliveryId = single(headers['webhook-id']);
  const timestamp = single(headers['webhook-timestamp']);
  const signatures = single(headers['webhook-signature']).split(' ');
  const mac: Hmac = createHmac('sha256', keyOf(secret)).update(`${deliveryId}.${timestamp}.`);

  function finish(): Verification {
    if (!/^[\w-]{1,64}$/.test(deliveryId) || !/^\d{1,12}$/.test(timestamp)) return refused('headers');
    const expected = `v1,${mac.digest('base64')}`;
    if (!signatures.some((signature) => isSame(signature, expected))) return refused('signature');
    const timestampSeconds = Number(timestamp);
    if (Math.abs(receivedAtMs / 1_000 - timestampSeconds) > TOLERANCE_SECONDS) return refused('timestamp');
    return { outcome: 'verified', deliveryId, timestampSeconds };
  }
  return { update: (chunk) => void mac.update(chunk), finish };
}

/** A header that came twice is as good as none. */
function single(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}

/** What `whsec_` encodes, as Standard Webhooks has it; any other secret is its own bytes. */
function keyOf(secret: string): Buffer {
  const encoded = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(
    secret,
  )?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}

/** In the same time wherever the texts differ; their length is no secret. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}

function refused(reason: 'headers' | 'timestamp' | 'signature'): Verification {
  return { outcome: 'refused', reason };
}
