import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliveryBody } from '../../functions/publishing/platforms/webhook/delivery-body.ts';
import { signatureHeaders } from '../../functions/publishing/platforms/webhook/signature.ts';
import vectors from '../../verify-webhook/vectors.json' with { type: 'json' };
import { verifyWebhook, type WebhookHeaders, webhookVerifier } from '../../verify-webhook/verify-webhook.ts';

const TIME_MS = 1_790_000_000_000;
const MUTATION_TIME_MS = 2_000;
const secret = 'correct-horse-battery-staple-42';
const deliveryId = '0197c9d2-6f4a-7c3e-9b1d-2a5e8f70c4d1';

async function genuine(of = secret) {
  const meta = { jobId: 'j', caption: 'hello', scheduledAt: '2026-09-21T14:13:20.000Z' };
  const content = deliveryBody({ boundary: 'boundary-0123456789abcdef', meta, media: [] });
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.open()) chunks.push(chunk);
  const signed = await signatureHeaders({ body: content, secret: of, deliveryId, timestampMs: TIME_MS });
  const headers: Record<string, string> = Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { headers, body: Buffer.concat(chunks), secret: of, receivedAtMs: TIME_MS };
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.floor(bit / 8) % copy.byteLength;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8));
  return copy;
}

describe('verifyWebhook', () => {
  it.each(vectors.vectors)('agrees with the vector: $name', (vector) => {
    const headers: WebhookHeaders = vector.headers;
    const body = Buffer.from(vector.body_base64, 'base64');

    expect(
      verifyWebhook({ headers, body, secret: vector.secret, receivedAtMs: vector.received_at_ms }),
    ).toEqual(vector.expected);
  });

  it.each([
    secret,
    'whsec_sNUcWMi5wfRY+t8Wx9N1Yw71HaTfgZFYk7BcD6Tti8Y=',
    'whsec_not_base64_but_long_enough',
    'schlüssel-漢字-0123456789',
  ])('accepts what the service signs with %s', async (of) => {
    expect(verifyWebhook(await genuine(of))).toEqual({
      outcome: 'verified',
      deliveryId,
      timestampSeconds: TIME_MS / 1_000,
    });
  });

  it('verifies a body that comes in pieces', async () => {
    const { body, ...check } = await genuine();
    const verifier = webhookVerifier(check);
    for (const byte of body) verifier.update(Uint8Array.of(byte));

    expect(verifier.finish()).toMatchObject({ outcome: 'verified' });
  });

  it('takes a header that came twice for none', async () => {
    const check = await genuine();
    const id = check.headers['webhook-id'] ?? '';

    expect(verifyWebhook({ ...check, headers: { ...check.headers, 'webhook-id': [id, id] } })).toMatchObject({
      outcome: 'refused',
    });
  });

  it('accepts no mutation of a genuine delivery', async () => {
    const check = await genuine();
    const name = fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature');
    const bit = fc.nat();
    const mutation = fc.oneof(
      bit.map((at) => ({ ...check, body: flipped(check.body, at) })),
      bit.map((at) => ({ ...check, body: check.body.subarray(0, at % check.body.byteLength) })),
      fc
        .uint8Array({ minLength: 1, maxLength: 8 })
        .map((more) => ({ ...check, body: Buffer.concat([check.body, more]) })),
      fc.tuple(name, bit).map(([header, at]) => {
        const value = flipped(Buffer.from(check.headers[header] ?? '', 'latin1'), at).toString('latin1');
        return { ...check, headers: { ...check.headers, [header]: value } };
      }),
      fc
        .tuple(name, name)
        .filter(([one, other]) => one !== other)
        .map(([one, other]) => ({
          ...check,
          headers: { ...check.headers, [one]: check.headers[other] },
        })),
      fc
        .tuple(name, fc.string())
        .map(([header, value]) => ({ ...check, headers: { ...check.headers, [header]: value } })),
      fc.string().map((other) => ({ ...check, secret: other })),
      fc.integer({ min: 300_001, max: 10 ** 12 }).map((late) => ({ ...check, receivedAtMs: TIME_MS + late })),
      fc
        .integer({ min: 300_001, max: 10 ** 12 })
        .map((early) => ({ ...check, receivedAtMs: TIME_MS - early })),
    );

    fc.assert(
      fc.property(mutation, (mutated) => verifyWebhook(mutated).outcome === 'refused'),
      { numRuns: 20_000, interruptAfterTimeLimit: MUTATION_TIME_MS },
    );
  });
});
