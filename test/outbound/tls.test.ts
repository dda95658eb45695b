import type { TlsOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { guardedRequest } from '../../functions/shared/outbound/guarded-request.ts';
import { mediaFetchLimits } from '../../functions/shared/outbound/outbound-limits.ts';
import { fakeNetwork } from './fake-network.ts';
import { testAuthority } from './test-authority.ts';
import { tcpServer, tlsServer } from './test-server.ts';

const NAME = 'receiver.example.com';
const PUBLIC = '93.184.216.34';
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nalt-svc: h2="inside.example:443"\r\n\r\nok';
const authority = testAuthority();

interface Seen {
  serverName?: string | undefined;
  protocol?: string | false | null;
  head: string;
}

async function answerOver(options: TlsOptions): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = await tlsServer(options, (socket) => {
    const secured = socket as typeof socket & { servername?: string; alpnProtocol?: string | false };
    socket.once('data', (bytes) => {
      seen.push({
        serverName: secured.servername,
        protocol: secured.alpnProtocol ?? null,
        head: bytes.toString(),
      });
      socket.end(OK);
    });
  });
  return { port: server.port, seen };
}

async function get(
  port: number,
  { url = `https://${NAME}/path?q=1`, tlsMs = 2_000, authorities = authority.certificate } = {},
) {
  const network = fakeNetwork({ names: { [NAME]: [PUBLIC] }, routes: { [PUBLIC]: port }, authorities });
  const limits = { ...mediaFetchLimits(1_000), tlsMs };
  const ended = await guardedRequest({ url, method: 'GET', headers: {}, limits }, network);
  if (ended.outcome !== 'answered') return ended;
  const chunks: Buffer[] = [];
  for await (const chunk of ended.body) chunks.push(chunk);
  return { ...ended, text: Buffer.concat(chunks).toString() };
}

describe('TLS of an outbound request', () => {
  it('names the host to the server although it dials an address, and speaks HTTP/1.1', async () => {
    const { port, seen } = await answerOver({
      ...authority.issue({ name: NAME }),
      ALPNProtocols: ['h2', 'http/1.1'],
    });

    const ended = await get(port);

    expect(ended).toMatchObject({ outcome: 'answered', status: 200, text: 'ok' });
    expect(seen).toMatchObject([{ serverName: NAME, protocol: 'http/1.1' }]);
    expect(seen[0]?.head).toContain(`GET /path?q=1 HTTP/1.1\r\nhost: ${NAME}\r\n`);
  });

  it('uses a new connection for each request', async () => {
    const { port, seen } = await answerOver(authority.issue({ name: NAME }));

    await get(port);
    await get(port);

    expect(seen.map(({ head }) => /connection: close/i.test(head))).toEqual([true, true]);
  });

  it('checks the certificate of an address too', async () => {
    const right = await answerOver(authority.issue({ name: PUBLIC }));
    const wrong = await answerOver(authority.issue({ name: NAME }));

    expect(await get(right.port, { url: `https://${PUBLIC}/` })).toMatchObject({ outcome: 'answered' });
    expect(await get(wrong.port, { url: `https://${PUBLIC}/` })).toMatchObject({ outcome: 'never-sent' });
    expect(right.seen).toMatchObject([{ serverName: false }]);
  });

  it.each([
    ['expired', { name: NAME, notAfter: new Date(Date.now() - 1_000) }, 'CERT_HAS_EXPIRED'],
    ['for another host', { name: 'other.example.com' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('refuses a certificate that is %s', async (_, leaf, detail) => {
    const { port, seen } = await answerOver(authority.issue(leaf));

    expect(await get(port)).toEqual({ outcome: 'never-sent', code: 'tls_failed', detail });
    expect(seen).toEqual([]);
  });

  it('refuses a certificate of an authority it does not know', async () => {
    const { port, seen } = await answerOver(testAuthority().issue({ name: NAME }));

    expect(await get(port)).toMatchObject({ outcome: 'never-sent', code: 'tls_failed' });
    expect(seen).toEqual([]);
  });

  it('refuses versions of TLS before 1.2', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const { port, seen } = await answerOver({ ...authority.issue({ name: NAME }), ...old });

    expect(await get(port)).toMatchObject({ outcome: 'never-sent', code: 'tls_failed' });
    expect(seen).toEqual([]);
  });

  it('gives up on a handshake that does not end', async () => {
    const server = await tcpServer(() => {});

    expect(await get(server.port, { tlsMs: 50 })).toEqual({ outcome: 'never-sent', code: 'tls_timeout' });
  });

  it('reports a server that hangs up in the handshake', async () => {
    const server = await tcpServer((socket) => socket.destroy());

    expect(await get(server.port)).toMatchObject({ outcome: 'never-sent', code: 'tls_failed' });
  });
});
