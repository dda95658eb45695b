import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { film, image, TELLING } from '../media/samples.ts';
import { testAuthority } from '../outbound/test-authority.ts';
import { type Call, channelOf, clientOf, deliveriesOf, eventually } from './client.ts';
import { environmentIn } from './outside-world.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const [FILES, MIRROR] = ['files.bakery.com', 'mirror.bakery.com'] as const;
const NAMES = {
  [FILES]: ['93.184.216.34'],
  [MIRROR]: ['93.184.216.35'],
  'closed.bakery.com': ['93.184.216.36'],
  'silent.bakery.com': ['93.184.216.37'],
  'inside.bakery.com': ['10.0.0.5'],
};
const LARGE_BYTES = 50 * 1024 * 1024;

const directory = mkdtempSync(join(tmpdir(), 'outside-'));
const pictures: Record<string, Buffer> = {};
let service: ServiceProcess;
let call: Call;
let dialled = 0;
const closing: (() => void)[] = [];

/** A site that has what is asked for, and redirects to what it is told. */
async function listeningSite(): Promise<number> {
  const authority = testAuthority();
  writeFileSync(join(directory, 'authority.pem'), authority.certificate);
  const contexts = new Map(
    [FILES, MIRROR].map((name) => [name, createSecureContext(authority.issue({ name }))]),
  );
  const site = createTlsServer(
    {
      SNICallback: (name, done) => done(null, contexts.get(name as typeof FILES)),
    },
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', `https://${request.headers.host}`);
      const to = searchParams.get('to');
      const bytes = pictures[pathname];
      if (to) response.writeHead(302, { location: to }).end();
      else if (bytes) response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
      else response.writeHead(404).end();
    },
  );
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    site.closeAllConnections();
    site.close();
  });
  return (site.address() as AddressInfo).port;
}

beforeAll(async () => {
  const port = await listeningSite();
  const canary = createServer((socket) => {
    dialled += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  closing.push(() => canary.close());
  const small = await film('mp4');
  const free = Buffer.alloc(LARGE_BYTES - small.length);
  free.writeUInt32BE(free.length);
  free.write('free', 4);
  pictures['/loaf.jpg'] = await image('jpeg', { width: 300, height: 200 });
  pictures['/oven.mp4'] = Buffer.concat([small, free]);
  const world = {
    names: NAMES,
    // Nothing listens at port 1.
    routes: { '93.184.216.34': port, '93.184.216.35': port, '93.184.216.36': 1 },
    silent: ['93.184.216.37'],
    canary: (canary.address() as AddressInfo).port,
  };
  service = await startServiceProcess({
    environment: environmentIn(world, join(directory, 'authority.pem')),
  });
  call = clientOf(service.file);
});
afterAll(async () => {
  await service?.end('SIGTERM');
  for (const close of closing) close();
  for (const path of [directory, service?.stateDirectory])
    if (path) rmSync(path, { recursive: true, force: true });
});

const create = (url: string) => call('POST', '/media', { body: { url } });
const processed = (id: string) =>
  eventually(async () => {
    const { body } = await call('GET', `/media/${id}`);
    return body.thumbnail_status === 'ready' || body.thumbnail_status === 'failed' ? body : undefined;
  });

describe('media at a URL', () => {
  it('is fetched by the shipped functions, by way of a redirect too, and tells nothing of its maker', async () => {
    const { status, body } = await create(`https://${FILES}/x?to=https://${MIRROR}/loaf.jpg`);

    expect({ status, body }).toMatchObject({ status: 201, body: { kind: 'image', mime: 'image/jpeg' } });
    const bytes = Buffer.from(await (await fetch(body.url)).arrayBuffer());
    expect(bytes.length).toBe(body.bytes);
    expect(TELLING.some((text) => bytes.includes(text))).toBe(false);
    expect(await processed(body.id)).toMatchObject({ width: 300, height: 200, filename: 'x' });
  });

  it('that takes longer than a request is fetched by a worker, and its post waits and is delivered', async () => {
    const caption = 'from the oven';
    const { status } = await call('POST', '/posts', {
      body: {
        ...{ caption, publish_now: true, channels: [{ id: channelOf(service.file) }] },
        media: [{ url: `https://${FILES}/oven.mp4` }],
      },
    });

    expect(status).toBe(202);
    const delivery = await eventually(async () => (await deliveriesOf(service.file, caption))[0]);
    expect(delivery).toMatchObject({
      signature_valid: true,
      media: [{ filename: 'oven.mp4', size: LARGE_BYTES }],
    });
  });

  it('that leads nowhere, or inside, is refused in one text and after one time, and nothing inside is dialled', async () => {
    const urls = ['closed', 'silent', 'inside', 'unknown'].map((name) => `https://${name}.bakery.com/x.jpg`);

    const refusals = await Promise.all(
      urls.map(async (url) => {
        const startedMs = performance.now();
        const { status, text } = await create(url);
        return { status, text, tookMs: performance.now() - startedMs };
      }),
    );

    expect(new Set(refusals.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(refusals[0]).toMatchObject({ status: 400 });
    for (const { tookMs } of refusals) expect(tookMs).toBeGreaterThanOrEqual(3_950);
    expect(dialled).toBe(0);
    expect((await create(`https://${FILES}/nothing.jpg`)).text).toBe(refusals[0]?.text);
  });
});
