import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { guardedRequest } from '../../functions/shared/outbound/guarded-request.ts';
import { INTERNET } from '../../functions/shared/outbound/network.ts';
import { type OutboundLimits, webhookLimits } from '../../functions/shared/outbound/outbound-limits.ts';
import type { OutboundBody } from '../../functions/shared/outbound/send-body.ts';
import { type TestServer, tcpServer } from './test-server.ts';

const MB = 1024 * 1024;

function zeros(size: number, piece = MB): OutboundBody {
  return {
    size,
    async *open() {
      for (let left = size; left > 0; left -= piece) yield Buffer.alloc(Math.min(piece, left));
    },
  };
}

function post(server: TestServer, body: OutboundBody, changes: Partial<OutboundLimits> = {}, now = Date.now) {
  const limits = { ...webhookLimits(body.size), ...changes };
  const url = `http://127.0.0.1:${server.port}/`;
  return guardedRequest(
    { url, method: 'POST', headers: {}, body, limits, loopback: 'allowed' },
    { ...INTERNET, now },
  );
}

function answer(socket: Socket, status: number): void {
  socket.end(`HTTP/1.1 ${status} Done\r\nContent-Length: 0\r\n\r\n`);
}

describe('the body of a request', () => {
  it('is sent with its length, all of it, before the answer is waited for', async () => {
    let received = '';
    const server = await tcpServer((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
        if (received.endsWith('\r\n\r\nhello')) answer(socket, 200);
      });
    });
    const body = {
      size: 5,
      open: async function* () {
        yield Buffer.from('hel');
        yield Buffer.from('lo');
      },
    };

    expect(await post(server, body)).toMatchObject({ outcome: 'answered', status: 200 });
    expect(received).toMatch(/content-length: 5\r\n/i);
    expect(received).not.toMatch(/transfer-encoding|expect/i);
  });

  it('is cut short by an early answer, which counts', async () => {
    const server = await tcpServer((socket) =>
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
      }),
    );

    expect(await post(server, zeros(64 * MB))).toMatchObject({ outcome: 'answered', status: 413 });
  });

  it('is given up when the receiver stops reading', async () => {
    const server = await tcpServer((socket) => socket.pause());

    const ended = await post(server, zeros(64 * MB), { uploadStallMs: 60 });

    expect(ended).toMatchObject({ outcome: 'ambiguous', code: 'upload_stalled' });
  });

  it('is given up when the receiver reads too slowly', async () => {
    const server = await tcpServer((socket) => {
      socket.pause();
      const timer = setInterval(() => socket.read(64 * 1024), 2);
      socket.once('close', () => clearInterval(timer));
    });
    let clock = 0;
    const fiveMinutesEach = () => (clock += 300_000);

    const ended = await post(server, zeros(64 * MB), { totalMs: 1e9 }, fiveMinutesEach);

    expect(ended).toMatchObject({ outcome: 'ambiguous', code: 'upload_too_slow' });
  });

  it('may have arrived when the connection is lost half way', async () => {
    const server = await tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));

    expect(await post(server, zeros(64 * MB))).toMatchObject({
      outcome: 'ambiguous',
      code: 'connection_lost',
    });
  });

  it('may have arrived when the answer does not come', async () => {
    const server = await tcpServer((socket) => socket.resume());

    expect(await post(server, zeros(MB), { answerMs: 50 })).toMatchObject({
      outcome: 'ambiguous',
      code: 'answer_timeout',
    });
  });

  it.each([
    ['more', 10, 20],
    ['less', 20, 10],
  ])('that yields %s than its size is a fault of ours, and thrown', async (_, size, yielded) => {
    const server = await tcpServer((socket) => socket.resume());

    await expect(post(server, { ...zeros(yielded), size })).rejects.toThrow(/the body yields .* bytes/);
  });

  it('whose source fails is a fault of ours, and thrown', async () => {
    const server = await tcpServer((socket) => socket.resume());
    const broken = {
      size: 10,
      open: async function* () {
        yield Buffer.alloc(5);
        throw new Error('the store is down');
      },
    };

    await expect(post(server, broken)).rejects.toThrow('the store is down');
  });

  it('closes its source when the receiver goes away', async () => {
    const server = await tcpServer((socket) => socket.once('data', () => answer(socket, 200)));
    const closed = Promise.withResolvers<boolean>();
    async function* open() {
      try {
        while (true) yield Buffer.alloc(MB);
      } finally {
        closed.resolve(true);
      }
    }

    await post(server, { size: 1024 * MB, open });

    expect(await closed.promise).toBe(true);
  });

  it('of a gigabyte and more gets as much time as a function has, and no more', () => {
    expect(webhookLimits(0).totalMs).toBe(60_000);
    expect(webhookLimits(100 * MB).totalMs).toBe(160_000);
    expect(webhookLimits(6 * 1024 * MB).totalMs).toBe(840_000);
  });
});
