import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Gateway, listen } from '../../local/gateway.ts';
import { openInbox } from '../../local/inbox.ts';

const SECRET = 'the secret of a channel';

let gateway: Gateway;
let inboxUrl: string;
let secrets: string[];
const file = join(mkdtempSync(join(tmpdir(), 'inbox-')), 'inbox.jsonl');

beforeAll(async () => {
  gateway = await listen(0);
  inboxUrl = `http://localhost:${gateway.port}/inbox`;
  const secretsOf = async (path: string, isFresh: boolean) =>
    path === '/hooks/demo' && isFresh ? secrets : [];
  gateway.open({ '/inbox': openInbox({ file, url: inboxUrl, secretsOf }) });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  secrets = [SECRET];
  await fetch(`${inboxUrl}/deliveries`, { method: 'DELETE' });
});

const deliveries = async () => (await fetch(`${inboxUrl}/deliveries`)).json();

const META = { jobId: 'j', caption: 'Grüße', scheduledAt: '2030-01-01T00:00:00.000Z', media: [] };

async function deliver(
  options: { files?: Buffer[]; path?: string; signature?: string; secret?: string } = {},
) {
  const form = new FormData();
  form.append('meta', JSON.stringify(META));
  for (const [index, bytes] of (options.files ?? []).entries()) {
    form.append(
      `media[${index}]`,
      new Blob([new Uint8Array(bytes)], { type: 'image/png' }),
      `bild ${index}.png`,
    );
  }
  const encoded = new Response(form);
  const body = Buffer.from(await encoded.arrayBuffer());
  const hex = createHmac('sha256', options.secret ?? SECRET)
    .update(body)
    .digest('hex');
  return fetch(`${inboxUrl}${options.path ?? '/hooks/demo'}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': encoded.headers.get('content-type') ?? '',
      'X-Service-Signature': options.signature ?? `sha256=${hex}`,
      'X-Service-Delivery-Id': 'd-1',
    },
  });
}

describe('the webhook inbox', () => {
  it('shows what a delivery held: meta, files with their hashes, and that its signature is good', async () => {
    const files = [randomBytes(300_000), randomBytes(10)];
    const response = await deliver({ files });

    expect(await response.json()).toMatchObject({ ok: true, remoteId: 'inbox-d-1' });
    expect(await deliveries()).toEqual([
      {
        delivery_id: 'd-1',
        received_at: expect.stringMatching(/^\d{4}-.*Z$/),
        path: '/hooks/demo',
        headers: expect.objectContaining({ 'x-service-delivery-id': 'd-1' }),
        meta: META,
        media: files.map((bytes, index) => ({
          filename: `bild ${index}.png`,
          contentType: 'image/png',
          size: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        })),
        signature_valid: true,
      },
    ]);
  });

  it.each([
    ['another secret', { secret: 'another' }],
    ['upper case', { signature: `sha256=${'A'.repeat(64)}` }],
    ['no signature to speak of', { signature: 'sha256=' }],
    ['a path nobody connected', { path: '/hooks/other' }],
  ])('says that the signature is not valid: %s', async (_, options) => {
    await deliver(options);

    expect(await deliveries()).toMatchObject([{ signature_valid: false }]);
  });

  it('knows the secret of a channel connected a moment ago', async () => {
    secrets = [SECRET, 'a brand new secret'];
    await deliver({ secret: 'a brand new secret' });

    expect(await deliveries()).toMatchObject([{ signature_valid: true }]);
  });

  it('answers as scripted, then accepts again, and keeps every attempt', async () => {
    const script = {
      status: 503,
      times: 2,
      delay_ms: 30,
      headers: { 'retry-after': '5' },
      body: { no: 'way' },
    };
    await fetch(`${inboxUrl}/behaviour`, { method: 'POST', body: JSON.stringify(script) });
    const startedAt = performance.now();

    const first = await deliver();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(30);
    expect([first.status, first.headers.get('retry-after'), await first.json()]).toEqual([
      503,
      '5',
      { no: 'way' },
    ]);
    expect((await deliver()).status).toBe(503);
    expect((await deliver()).status).toBe(200);
    expect(await deliveries()).toHaveLength(3);
  });

  it('scripts one path and leaves the others alone', async () => {
    const script = [{ status: 410, path: '/hooks/gone' }];
    await fetch(`${inboxUrl}/behaviour`, { method: 'POST', body: JSON.stringify(script) });

    expect((await deliver()).status).toBe(200);
    expect((await deliver({ path: '/hooks/gone' })).status).toBe(410);
  });

  it.each([
    ['{"status":100}', 'body.status must be a whole number from 200 to 599'],
    ['{"status":500.5}', 'body.status must be a whole number from 200 to 599'],
    ['{"status":500,"often":2}', 'body.often is not a known field; remove it'],
    ['[{"status":500},{"status":"x"}]', 'body.1.status must be a number'],
    ['[[]]', 'body.0 must be an object'],
    ['{"status":500,"headers":{"a b":"c"}}', 'body.headers must be names and values that HTTP allows'],
    ['{"status":500,"headers":{"a":"c\\n"}}', 'body.headers must be names and values that HTTP allows'],
    ['nonsense', 'body is not acceptable JSON: '],
    ['', 'body is empty; send a JSON object'],
    ['{}', 'body.status is required'],
    ['null', 'body must be an object'],
    [`"${'x'.repeat(1024 * 1024)}"`, 'a script may have 1 MB'],
  ])('refuses the behaviour %.60s', async (body, problem) => {
    const response = await fetch(`${inboxUrl}/behaviour`, { method: 'POST', body });

    expect(response.status).toBeOneOf([400, 413]);
    expect(((await response.json()) as { error: Error }).error.message).toContain(problem);
  });

  it('records what is no multipart, and what is broken multipart', async () => {
    await fetch(`${inboxUrl}/hooks/demo`, { method: 'POST', body: '{"a":1}' });
    const headers = { 'content-type': 'multipart/form-data; boundary=xxx' };
    await fetch(`${inboxUrl}/hooks/demo`, { method: 'POST', body: '--xxx\r\nbroken', headers });

    expect(await deliveries()).toMatchObject([
      { delivery_id: null, meta: null, media: [] },
      { meta: null, media: [] },
    ]);
  });

  it('keeps deliveries over a restart', async () => {
    await deliver();
    const again = await listen(0);
    const url = `http://localhost:${again.port}/inbox`;
    again.open({ '/inbox': openInbox({ file, url, secretsOf: async () => [] }) });

    expect(await (await fetch(`${url}/deliveries`)).json()).toEqual(await deliveries());
    await again.close();
  });
});
