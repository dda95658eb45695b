import { describe, expect, it } from 'vitest';
import { BodyCut } from '../../functions/shared/outbound/capped-body.ts';
import { guardedRequest } from '../../functions/shared/outbound/guarded-request.ts';
import { INTERNET } from '../../functions/shared/outbound/network.ts';
import { mediaFetchLimits, type OutboundLimits } from '../../functions/shared/outbound/outbound-limits.ts';
import { answeringServer, type TestServer, tcpServer } from './test-server.ts';

const CAP = 100_000;

async function get(server: TestServer, changes: Partial<OutboundLimits> = {}, now = Date.now) {
  const limits = { ...mediaFetchLimits(CAP), ...changes };
  const url = `http://127.0.0.1:${server.port}/`;
  const request = { url, method: 'GET', headers: {}, limits, loopback: 'allowed' } as const;
  const ended = await guardedRequest(request, { ...INTERNET, now });
  if (ended.outcome !== 'answered') return ended;
  let bytes = 0;
  try {
    for await (const chunk of ended.body) bytes += chunk.byteLength;
  } catch (error) {
    if (!(error instanceof BodyCut)) throw error;
    return { status: ended.status, bytes, cut: error.code };
  }
  return { status: ended.status, bytes };
}

function ok(headers: string, body = ''): string {
  return `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`;
}

describe("an answer's body", () => {
  it('is refused by its announced length before any of it is read', async () => {
    const server = await answeringServer(ok('Content-Length: 2000000000', 'x'.repeat(1_000)), true);

    expect(await get(server)).toEqual({ status: 200, bytes: 0, cut: 'body_too_large' });
  });

  it('is cut when it never ends', async () => {
    const server = await tcpServer((socket) => {
      socket.once('data', () => {
        socket.write(ok('Connection: close'));
        const more = () => {
          while (socket.writable && socket.write(Buffer.alloc(16_384))) {}
        };
        socket.on('drain', more);
        more();
      });
    });

    const ended = await get(server);

    expect(ended).toMatchObject({ cut: 'body_too_large' });
    expect(ended).toHaveProperty('bytes', expect.closeTo(CAP, -5));
  });

  it('ends at its length, whatever follows', async () => {
    expect(await get(await answeringServer(ok('Content-Length: 10', 'x'.repeat(500))))).toEqual({
      status: 200,
      bytes: 10,
    });
  });

  it('is not whole when the connection ends before its length', async () => {
    const server = await answeringServer(ok('Content-Length: 100', 'xxxxx'));

    expect(await get(server)).toEqual({ status: 200, bytes: 5, cut: 'body_truncated' });
  });

  it.each(['gzip', 'br', 'zstd', 'gzip, gzip', 'unheard-of'])(
    'is not decompressed from %s',
    async (encoding) => {
      const server = await answeringServer(ok(`Content-Encoding: ${encoding}\r\nContent-Length: 3`, 'abc'));

      expect(await get(server)).toEqual({ status: 200, bytes: 0, cut: 'body_encoded' });
    },
  );

  it('may be called identity', async () => {
    const server = await answeringServer(ok('Content-Encoding: identity\r\nContent-Length: 3', 'abc'));

    expect(await get(server)).toEqual({ status: 200, bytes: 3 });
  });

  it('is cut when it stalls', async () => {
    const server = await answeringServer(ok('Content-Length: 100', 'x'), true);

    expect(await get(server, { bodyIdleMs: 40 })).toEqual({ status: 200, bytes: 1, cut: 'body_stalled' });
  });

  it('is cut when it drips too long', async () => {
    const server = await dripping();

    expect(await get(server, { bodyMs: 80 })).toMatchObject({
      cut: expect.stringMatching(/^body_(timeout|stalled)$/),
    });
  });

  it('is cut when it drips too slowly on average', async () => {
    const server = await dripping();
    let clock = 0;
    const tenSecondsEach = () => (clock += 10_000);

    const ended = await get(server, { totalMs: 10_000_000, bodyMs: 10_000_000 }, tenSecondsEach);

    expect(ended).toMatchObject({ cut: 'body_too_slow' });
  });

  it('may be chunked, with trailers that are ignored', async () => {
    const chunked = 'Transfer-Encoding: chunked\r\nTrailer: X-Late';
    const server = await answeringServer(ok(chunked, '3\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n'));

    expect(await get(server)).toEqual({ status: 200, bytes: 3 });
  });

  it('is cut at a chunk extension without end', async () => {
    const server = await answeringServer(
      ok('Transfer-Encoding: chunked', `3;${'x'.repeat(100_000)}\r\nabc\r\n0\r\n\r\n`),
    );

    expect(await get(server)).toMatchObject({ cut: 'body_truncated' });
  });

  it.each([
    [200, ok('Content-Length: 0')],
    [204, 'HTTP/1.1 204 No Content\r\n\r\n'],
    [206, 'HTTP/1.1 206 Partial Content\r\nContent-Length: 0\r\n\r\n'],
    [416, 'HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n'],
  ])('may be empty, with status %i', async (status, answer) => {
    expect(await get(await answeringServer(answer))).toEqual({ status, bytes: 0 });
  });

  it('is asked for once', async () => {
    const server = await answeringServer(ok('Content-Length: 2', 'ok'));

    await get(server);

    expect(server.connections()).toBe(1);
  });
});

describe("an answer's head", () => {
  it.each([
    ['is larger than 16 KB', ok(`X-Large: ${'x'.repeat(1_000_000)}\r\nContent-Length: 0`)],
    ['has 10,000 headers', ok(`${'A: 1\r\n'.repeat(10_000)}Content-Length: 0`)],
    ['has more than 100 headers', ok(`${'A: 1\r\n'.repeat(100)}Content-Length: 0`)],
    ['is not HTTP', 'hello\r\n\r\n'],
    ['is an endless row of interim answers', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)],
    ['states two lengths', ok('Content-Length: 1\r\nContent-Length: 2', 'ab')],
    ['states a length and chunks', ok('Content-Length: 1\r\nTransfer-Encoding: chunked', 'a')],
  ])('ends the attempt when it %s', async (_, answer) => {
    expect(await get(await answeringServer(answer))).toMatchObject({
      outcome: 'ambiguous',
      code: 'malformed_answer',
    });
  });

  it.each([
    ['never comes', ''],
    ['is only ever announced', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['stops half way', 'HTTP/1.1 200 OK\r\nX-'],
  ])('is not waited for when it %s', async (_, answer) => {
    const server = await answeringServer(answer, true);

    expect(await get(server, { answerMs: 40 })).toMatchObject({
      outcome: 'ambiguous',
      code: 'answer_timeout',
    });
  });

  it('may come after interim answers', async () => {
    const server = await answeringServer(`HTTP/1.1 103 Early Hints\r\n\r\n${ok('Content-Length: 0')}`);

    expect(await get(server)).toEqual({ status: 200, bytes: 0 });
  });

  it.each([
    ['hangs up', (end: () => void) => end()],
    ['resets the connection', (_: () => void, reset: () => void) => reset()],
    [
      'switches to another protocol',
      (_: () => void, __: () => void, write: (text: string) => void) =>
        write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
  ])('is missing when the server %s', async (_, act) => {
    const server = await tcpServer((socket) => {
      socket.once('data', () =>
        act(
          () => socket.end(),
          () => socket.resetAndDestroy(),
          (text) => socket.write(text),
        ),
      );
    });

    expect(await get(server, { answerMs: 200 })).toMatchObject({
      outcome: 'ambiguous',
      code: 'connection_lost',
    });
  });
});

async function dripping(): Promise<TestServer> {
  return tcpServer((socket) => {
    socket.once('data', () => {
      socket.write(ok('Content-Length: 100000'));
      const timer = setInterval(() => socket.write('x'), 5);
      socket.once('close', () => clearInterval(timer));
    });
  });
}
