import { createHash, createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Delivery, deliver } from '../../../functions/publishing/platforms/webhook/deliver.ts';
import { guardedRequest } from '../../../functions/shared/outbound/guarded-request.ts';
import { verifyWebhook } from '../../../verify-webhook/verify-webhook.ts';
import { fileIn, partsOf, receiver } from './receiver.ts';

const secret = 'correct-horse-battery-staple-42';
const image = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 256));

function delivery(url: string): Delivery {
  return {
    deliveryId: '0197c9d2-6f4a-7c3e-9b1d-2a5e8f70c4d1',
    channel: { url, secret },
    content: {
      boundary: 'boundary-0123456789abcdef',
      meta: { jobId: 'job-1', caption: 'hello', scheduledAt: '2026-09-21T14:13:20.000Z' },
      media: [
        {
          filename: 'a.png',
          contentType: 'image/png',
          size: image.byteLength,
          open: async function* () {
            yield image;
          },
        },
      ],
    },
  };
}

function attempt(url: string, now = Date.now) {
  return deliver(delivery(url), {
    send: guardedRequest,
    now,
    deadlineMs: Date.now() + 5_000,
    loopback: 'allowed',
  });
}

function answering(status: number, body = '', headers: Record<string, string> = {}) {
  return receiver((response) => response.writeHead(status, headers).end(body));
}

describe('deliver', () => {
  it('posts the signed body, as the interface describes it', async () => {
    const { url, received } = await answering(200);
    const nowMs = 1_790_000_000_123;

    await attempt(url, () => nowMs);

    const [request] = received;
    if (request === undefined) throw new Error('nothing was received');
    expect(request.headers).toMatchObject({
      'x-service-signature': `sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`,
      'x-service-timestamp': String(nowMs),
      'x-service-delivery-id': '0197c9d2-6f4a-7c3e-9b1d-2a5e8f70c4d1',
      'user-agent': 'SocialPostPublishing/1.0',
      'webhook-id': '0197c9d2-6f4a-7c3e-9b1d-2a5e8f70c4d1',
      'webhook-timestamp': '1790000000',
      'content-type': 'multipart/form-data; boundary=boundary-0123456789abcdef',
      'content-length': String(request.body.byteLength),
    });
    expect(verifyWebhook({ ...request, secret, receivedAtMs: nowMs })).toMatchObject({ outcome: 'verified' });
    const parts = await partsOf(request);
    expect(JSON.parse(String(parts[0]?.[1]))).toEqual({
      ...delivery(url).content.meta,
      media: [{ filename: 'a.png', contentType: 'image/png', size: 100_000 }],
    });
    expect(Buffer.from(await fileIn(parts, 1).arrayBuffer()).equals(image)).toBe(true);
  });

  it('sends the same bytes and id on each of 13 attempts, freshly signed', async () => {
    const { url, received } = await answering(503);
    let clock = 1_790_000_000_000;

    for (let count = 0; count < 13; count += 1) await attempt(url, () => (clock += 3_600_000));

    const distinct = (pick: (at: (typeof received)[number]) => unknown) => new Set(received.map(pick)).size;
    expect(received).toHaveLength(13);
    expect(distinct(({ body }) => createHash('sha256').update(body).digest('hex'))).toBe(1);
    expect(distinct(({ headers }) => headers['webhook-id'])).toBe(1);
    expect(distinct(({ headers }) => headers['x-service-timestamp'])).toBe(13);
    expect(distinct(({ headers }) => headers['webhook-signature'])).toBe(13);
  });

  it.each([
    ['', {}],
    ['thanks', {}],
    ['{"ok":true}', {}],
    ['[1]', {}],
    ['null', {}],
    [
      '{"remoteId":"r-1","url":"https://a.example.com/1"}',
      { remoteId: 'r-1', url: 'https://a.example.com/1' },
    ],
    ['{"ok":false,"remoteId":"r-1"}', { remoteId: 'r-1', warning: expect.stringContaining('ok: false') }],
    [JSON.stringify({ remoteId: '🎉'.repeat(512) }), { remoteId: '🎉'.repeat(512) }],
    [JSON.stringify({ remoteId: 'x'.repeat(513) }), { warning: expect.stringContaining('remoteId') }],
    ['{"remoteId":7,"url":null}', { warning: expect.stringContaining('remoteId') }],
    ['{"url":"javascript:alert(1)"}', { warning: expect.stringContaining('url') }],
    [
      JSON.stringify({ url: `https://a.example.com/${'x'.repeat(2048)}` }),
      { warning: expect.stringContaining('url') },
    ],
    ['x'.repeat(1_000_000), {}],
  ])('is delivered with a 2xx, whatever its body: %.40j', async (body, rest) => {
    const { url } = await answering(201, body);

    expect(await attempt(url)).toEqual({ outcome: 'delivered', httpStatus: 201, ...rest });
  });

  it('is delivered although the body of the answer is compressed or cut off', async () => {
    const compressed = await answering(200, 'x', { 'content-encoding': 'gzip' });
    const cut = await receiver((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"ok":');
      setTimeout(() => response.destroy(), 10);
    });

    expect(await attempt(compressed.url)).toEqual({ outcome: 'delivered', httpStatus: 200 });
    expect(await attempt(cut.url)).toEqual({ outcome: 'delivered', httpStatus: 200 });
  });

  it.each([500, 502, 503, 504, 599, 408, 429])('is tried again after a %i', async (status) => {
    const { url } = await answering(status);

    expect(await attempt(url)).toMatchObject({
      outcome: 'retry',
      code: `http_${status}`,
      httpStatus: status,
    });
  });

  it.each([300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 413, 422, 451])(
    'is refused for good by a %i',
    async (status) => {
      const { url, received } = await answering(status, '', { location: '/elsewhere' });

      const outcome = await attempt(url);

      expect(outcome).toMatchObject({
        outcome: 'refused',
        httpStatus: status,
        reason: expect.stringContaining(`${status}`),
      });
      expect(received).toHaveLength(1);
    },
  );

  it('heeds Retry-After on 429 and 503 alone', async () => {
    const asking = (status: number) => answering(status, '', { 'retry-after': '120' });

    expect(await attempt((await asking(429)).url)).toMatchObject({ retryAfterSeconds: 120 });
    expect(await attempt((await asking(503)).url)).toMatchObject({ retryAfterSeconds: 120 });
    expect(await attempt((await asking(500)).url)).not.toHaveProperty('retryAfterSeconds');
  });

  it('is tried again when nobody listens or the endpoint hangs up', async () => {
    const hangingUp = await receiver((response: ServerResponse) => response.destroy());

    expect(await attempt('http://127.0.0.1:1/')).toMatchObject({ outcome: 'retry', code: 'connect_failed' });
    expect(await attempt(hangingUp.url)).toMatchObject({ outcome: 'retry', code: 'connection_lost' });
  });

  it('is refused where no request may go, without saying where that is', async () => {
    const outcome = await deliver(delivery('https://169.254.169.254/latest'), {
      send: guardedRequest,
      now: Date.now,
      deadlineMs: Date.now() + 1_000,
    });

    expect(outcome).toMatchObject({ outcome: 'refused', code: 'blocked' });
    expect(JSON.stringify(outcome)).not.toContain('169');
  });

  it('never says an address or the secret', async () => {
    const outcomes = await Promise.all([
      attempt('http://127.0.0.1:1/'),
      attempt((await answering(500)).url),
      attempt((await answering(400)).url),
    ]);

    expect(JSON.stringify(outcomes)).not.toMatch(/127\.0|horse|\/hook/);
  });
});
