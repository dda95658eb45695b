import { describe, expect, it } from 'vitest';
import { guardedDownload } from '../../functions/shared/outbound/guarded-download.ts';
import { guardedRequest } from '../../functions/shared/outbound/guarded-request.ts';
import { mediaFetchLimits } from '../../functions/shared/outbound/outbound-limits.ts';
import { type DnsAnswer, fakeNetwork } from './fake-network.ts';
import { testAuthority } from './test-authority.ts';
import { canary, tlsServer } from './test-server.ts';

const NAME = 'files.example.com';
const PUBLIC = '93.184.216.34';
const authority = testAuthority();
const limits = mediaFetchLimits(1_000);
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A public host whose answers are looked up by path; `hops` are the paths asked for, in order. */
async function site(
  answers: Record<string, string>,
  names: Record<string, DnsAnswer | [DnsAnswer, DnsAnswer]> = {},
) {
  const hops: string[] = [];
  const server = await tlsServer(authority.issue({ name: NAME }), (socket) => {
    socket.once('data', (bytes) => {
      const [line = ''] = bytes.toString().split('\r\n');
      hops.push(line.replace(' HTTP/1.1', ''));
      socket.end(answers[line.split(' ')[1] ?? ''] ?? FINAL);
    });
  });
  const inside = await canary('127.0.0.1');
  const network = fakeNetwork({
    names: { [NAME]: [PUBLIC], ...names },
    routes: { [PUBLIC]: server.port },
    canaryPort: inside?.port ?? 1,
    authorities: authority.certificate,
  });
  const download = () => guardedDownload({ url: `https://${NAME}/`, limits }, network);
  return { hops, network, download, insideConnections: () => inside?.connections() };
}

function redirect(location: string, status = 302): string {
  return `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
}

describe('guardedDownload', () => {
  it.each([301, 302, 303, 307, 308])('follows a %i, checking and resolving anew', async (status) => {
    const { download, hops, network } = await site({ '/': redirect('/next', status) });

    const ended = await download();

    expect(ended).toMatchObject({ outcome: 'answered', status: 200 });
    expect(hops).toEqual(['GET /', 'GET /next']);
    expect(network.resolved).toEqual([`${NAME}.`, `${NAME}.`]);
    expect(network.dialled).toEqual([PUBLIC, PUBLIC]);
  });

  it.each([
    'http://127.0.0.1/',
    'https://127.0.0.1/',
    '//169.254.169.254/',
    'http://files.example.com/',
    'https://u:p@files.example.com/',
    '//[::1]/x',
    'file:///etc/passwd',
    '/\\evil.example.com/',
    'https:/\\127.0.0.1/',
    '/a b',
    `/${'a'.repeat(10_000)}`,
    '/one\r\nLocation: /two',
    'https://localhost/',
    'https://files.example.com:8443/',
    'https://[64:ff9b::a9fe:a9fe]/',
    '',
  ])('does not follow to %j', async (location) => {
    const { download, hops, network, insideConnections } = await site({ '/': redirect(location) });

    const ended = await download();

    expect(ended).toMatchObject({ outcome: 'blocked' });
    expect(hops).toEqual(['GET /']);
    expect(network.dialled).toEqual([PUBLIC]);
    expect(insideConnections()).toBe(0);
  });

  it('does not follow to a name that leads inside, or has come to', async () => {
    const names: Record<string, DnsAnswer | [DnsAnswer, DnsAnswer]> = {
      'inside.attacker.com': ['127.0.0.1'],
      [NAME]: [[PUBLIC], ['127.0.0.1']],
    };
    const led = await site({ '/': redirect('https://inside.attacker.com/') }, names);
    const rebound = await site({ '/': redirect('/next') }, names);

    expect(await led.download()).toMatchObject({ outcome: 'blocked' });
    expect(await rebound.download()).toMatchObject({ outcome: 'blocked' });
    expect([led.insideConnections(), rebound.insideConnections()]).toEqual([0, 0]);
  });

  it('follows three redirects but not a fourth', async () => {
    const three = await site({ '/': redirect('/1'), '/1': redirect('/2'), '/2': redirect('/3') });
    const four = await site({
      '/': redirect('/1'),
      '/1': redirect('/2'),
      '/2': redirect('/3'),
      '/3': redirect('/4'),
    });

    expect(await three.download()).toMatchObject({ outcome: 'answered', status: 200 });
    expect(await four.download()).toEqual({ outcome: 'blocked', reason: 'too many redirects' });
    expect(four.hops).toEqual(['GET /', 'GET /1', 'GET /2', 'GET /3']);
  });

  it('leaves a loop', async () => {
    const { download, hops } = await site({ '/': redirect('/b'), '/b': redirect('/') });

    expect(await download()).toMatchObject({ outcome: 'blocked' });
    expect(hops).toHaveLength(4);
  });

  it.each([300, 304, 305])('takes a %i for an answer', async (status) => {
    const { download, hops } = await site({ '/': redirect('https://127.0.0.1/', status) });

    expect(await download()).toMatchObject({ outcome: 'answered', status });
    expect(hops).toEqual(['GET /']);
  });

  it('heeds neither Refresh nor Alt-Svc', async () => {
    const answer =
      'HTTP/1.1 200 OK\r\nRefresh: 0; url=https://127.0.0.1/\r\nAlt-Svc: h2="127.0.0.1:443"\r\nContent-Length: 0\r\n\r\n';
    const { download, network } = await site({ '/': answer });

    await download();
    await download();

    expect(network.dialled).toEqual([PUBLIC, PUBLIC]);
  });

  it('shares one time limit among all hops', async () => {
    const { network } = await site({ '/': redirect('/1'), '/1': '' });
    const slow = await tlsServer(authority.issue({ name: NAME }), (socket) => {
      socket.once('data', () => setTimeout(() => socket.end(redirect('/again')), 60));
    });
    const slowNetwork = { ...network, dial: fakeNetwork({ routes: { [PUBLIC]: slow.port } }).dial };

    const ended = await guardedDownload(
      { url: `https://${NAME}/`, limits: { ...limits, totalMs: 150 } },
      slowNetwork,
    );

    expect(ended).toMatchObject({ code: 'deadline' });
  });
});

describe('guardedRequest', () => {
  it('never follows a redirect', async () => {
    const { network, hops } = await site({ '/': redirect('/next') });
    const url = `https://${NAME}/`;

    const ended = await guardedRequest({ url, method: 'POST', headers: {}, limits }, network);

    expect(ended).toMatchObject({ outcome: 'answered', status: 302 });
    expect(hops).toEqual(['POST /']);
  });
});
