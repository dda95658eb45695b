import { beforeEach, describe, expect, it } from 'vitest';
import { guardedDownload } from '../../functions/shared/outbound/guarded-download.ts';
import { guardedRequest } from '../../functions/shared/outbound/guarded-request.ts';
import { mediaFetchLimits, webhookLimits } from '../../functions/shared/outbound/outbound-limits.ts';
import { fakeNetwork } from './fake-network.ts';
import { NAMES_LEADING_INSIDE, PRIVATE_IPV4, PRIVATE_IPV6, REFUSED_URLS } from './ssrf-corpus.ts';
import { answeringServer, canary, type TestServer, tcpServer } from './test-server.ts';

const limits = mediaFetchLimits(1_000_000);
const NAME = 'host.attacker.com';
const PUBLIC = '93.184.216.34';
let canaries: TestServer[];
let canaryPort: number;

beforeEach(async () => {
  const first = await canary('127.0.0.1');
  canaryPort = first?.port ?? 0;
  const second = await canary('::1', canaryPort);
  canaries = [first, second].filter((one) => one !== undefined);
});

function canaryConnections(): number {
  return canaries.reduce((sum, one) => sum + one.connections(), 0);
}

function get(url: string, network: ReturnType<typeof fakeNetwork>) {
  return guardedRequest({ url, method: 'GET', headers: {}, limits }, network);
}

describe('guardedRequest', () => {
  it('dials nothing for any URL of the corpus, to send or to download', async () => {
    const network = fakeNetwork({ canaryPort });
    for (const url of REFUSED_URLS) {
      expect((await get(url, network)).outcome, url).toBe('blocked');
      expect((await guardedDownload({ url, limits }, network)).outcome, url).toBe('blocked');
    }

    expect(network.dialled).toEqual([]);
    expect(network.resolved).toEqual([]);
    expect(canaryConnections()).toBe(0);
  });

  it('dials nothing for a name that leads inside', async () => {
    const inside = [...PRIVATE_IPV4, ...PRIVATE_IPV6].map(
      (address, at) => [`n${at}.attacker.com`, [address]] as const,
    );
    const known = Object.entries(NAMES_LEADING_INSIDE).map(([name, address]) => [name, [address]] as const);
    const names = Object.fromEntries([...inside, ...known]);
    const network = fakeNetwork({ names, canaryPort });

    for (const name of Object.keys(names)) {
      expect((await get(`https://${name}/`, network)).outcome, name).toBe('blocked');
    }

    expect(network.dialled).toEqual([]);
    expect(canaryConnections()).toBe(0);
  });

  it('resolves once for each request and dials only what it was told then', async () => {
    const network = fakeNetwork({
      names: { [NAME]: [[PUBLIC], ['127.0.0.1']] },
      routes: { [PUBLIC]: 1 },
      canaryPort,
    });

    const first = await get(`https://${NAME}/`, network);
    const second = await get(`https://${NAME}/`, network);

    expect(first).toMatchObject({ outcome: 'never-sent', code: 'connect_failed' });
    expect(second.outcome).toBe('blocked');
    expect(network.resolved).toHaveLength(2);
    expect(network.dialled).toEqual([PUBLIC]);
    expect(canaryConnections()).toBe(0);
  });

  it('falls back to approved addresses only, to three at most', async () => {
    const addresses = ['93.184.216.1', '93.184.216.2', '93.184.216.3', '93.184.216.4'];
    const routes = Object.fromEntries(addresses.map((address) => [address, 1]));
    const network = fakeNetwork({ names: { [NAME]: addresses }, routes, canaryPort });

    const ended = await get(`https://${NAME}/`, network);

    expect(ended).toEqual({ outcome: 'never-sent', code: 'connect_failed', detail: 'ECONNREFUSED' });
    expect(network.dialled).toEqual(addresses.slice(0, 3));
  });

  it('hangs up before the first byte when it reached another address than the one it dialled', async () => {
    let received = 0;
    const server = await tcpServer((socket) => socket.on('data', (bytes) => (received += bytes.byteLength)));
    const network = fakeNetwork({
      names: { [NAME]: [PUBLIC] },
      routes: { [PUBLIC]: server.port },
      peers: { [PUBLIC]: '10.0.0.1' },
    });

    const ended = await get(`https://${NAME}/`, network);

    expect(ended.outcome).toBe('blocked');
    expect(received).toBe(0);
  });

  it('gives the same outcome to a name without addresses and one whose servers are silent', async () => {
    const network = fakeNetwork({ names: { 'silent.attacker.com': 'silence' } });
    const quick = { ...limits, dnsMs: 20 };

    const missing = await get('https://missing.attacker.com/', network);
    const silent = await guardedRequest(
      { url: 'https://silent.attacker.com/', method: 'GET', headers: {}, limits: quick },
      network,
    );

    expect(missing).toMatchObject({ outcome: 'never-sent', code: 'dns_failed' });
    expect(silent).toMatchObject({ outcome: 'never-sent', code: 'dns_timeout' });
  });

  it("does not start after the caller's lease is over", async () => {
    const server = await answeringServer('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    const url = `http://127.0.0.1:${server.port}/`;
    const late = {
      url,
      method: 'GET',
      headers: {},
      limits,
      loopback: 'allowed',
      deadlineMs: Date.now() - 1,
    } as const;

    expect(await guardedRequest(late)).toMatchObject({ outcome: 'never-sent', code: 'deadline' });
  });

  it("stops when the caller's lease ends", async () => {
    const server = await tcpServer(() => {});
    const url = `http://127.0.0.1:${server.port}/`;
    const deadlineMs = Date.now() + 60;

    const ended = await guardedRequest({
      url,
      method: 'GET',
      headers: {},
      limits,
      loopback: 'allowed',
      deadlineMs,
    });

    expect(ended).toMatchObject({ outcome: 'ambiguous', code: 'deadline' });
  });
});

describe('guardedRequest with loopback allowed', () => {
  it('reaches a name for this machine, over plain http, whatever DNS says', async () => {
    const server = await answeringServer('HTTP/1.1 204 No Content\r\n\r\n');
    const network = fakeNetwork({ routes: { '127.0.0.1': server.port } });
    const request = { method: 'GET', headers: {}, limits: webhookLimits(0), loopback: 'allowed' } as const;

    const ended = await guardedRequest({ ...request, url: `http://localhost:${server.port}/` }, network);

    expect(ended).toMatchObject({ outcome: 'answered', status: 204 });
    expect(network.resolved).toEqual([]);
  });

  it('does not reach it through a public name', async () => {
    const network = fakeNetwork({ names: NAMES_LEADING_INSIDE_ANSWERS, canaryPort });
    const request = { method: 'GET', headers: {}, limits, loopback: 'allowed' } as const;

    for (const name of Object.keys(NAMES_LEADING_INSIDE)) {
      expect((await guardedRequest({ ...request, url: `https://${name}/` }, network)).outcome).toBe(
        'blocked',
      );
    }

    expect(network.dialled).toEqual([]);
  });
});

const NAMES_LEADING_INSIDE_ANSWERS = Object.fromEntries(
  Object.entries(NAMES_LEADING_INSIDE).map(([name, address]) => [name, [address]]),
);
