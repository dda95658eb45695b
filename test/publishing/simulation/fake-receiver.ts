import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { webhookPublisher } from '../../../functions/publishing/platforms/webhook/webhook-publisher.ts';
import { withBreaker } from '../../../functions/publishing/platforms/webhook/with-breaker.ts';
import type { Publisher } from '../../../functions/publishing/publisher.ts';
import type { guardedRequest } from '../../../functions/shared/outbound/guarded-request.ts';
import type { ServiceTable } from '../../../functions/shared/table/service-table.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** One attempt as the endpoint saw it. */
export interface Received {
  readonly atMs: number;
  readonly target: string;
  readonly id: string;
  readonly deliveryId: string;
  readonly bodyHash: string;
  readonly timestamp: string;
  readonly status: number;
}

/** A customer's endpoint, and the real webhook publisher delivering to it. */
export interface FakeReceiver {
  readonly received: Received[];
  publisher(process: Process, table: ServiceTable): Publisher;
}

/** How endpoints behave. */
export interface ReceiverOptions {
  /** Draws the status of an answer; 0 is no answer. @default always 200 */
  readonly statuses?: (attempt: number) => number;
  /** How long an answer takes. @default 20 to 200 ms */
  readonly answerMs?: (world: World) => number;
}

export function fakeReceiver(world: World, options: ReceiverOptions = {}): FakeReceiver {
  const { statuses = () => 200, answerMs = () => world.between(20, 200) } = options;
  const received: Received[] = [];

  const sender =
    (process: Process, target: () => string): typeof guardedRequest =>
    async (request) => {
      const hash = createHash('sha256');
      for await (const chunk of request.body?.open() ?? []) hash.update(chunk);
      const status = statuses(received.length + 1);
      const took = await process.call('webhook.send', () => {
        if (process.clock() > (request.deadlineMs ?? Number.POSITIVE_INFINITY)) return false;
        received.push({
          ...{ atMs: world.now(), target: target(), id: target(), status },
          deliveryId: request.headers['X-Service-Delivery-Id'] ?? '',
          bodyHash: hash.digest('hex'),
          timestamp: request.headers['X-Service-Timestamp'] ?? '',
        });
        return true;
      });
      if (!took || status === 0) return { outcome: 'ambiguous', code: 'answer_timeout' };
      await process.sleep(answerMs(world));
      async function* body() {
        yield Buffer.from(JSON.stringify({ ok: true, remoteId: target() }));
      }
      return { outcome: 'answered', status, headers: {}, rawHeaders: [], body: body(), discard: () => {} };
    };

  return {
    received,
    publisher(process, table) {
      let target = '';
      const publisher = withBreaker(
        webhookPublisher({
          send: sender(process, () => target),
          files: { open: () => Readable.from([]) },
          newId: () => world.uuid(),
          random: world.random,
        }),
        { table, random: world.random },
      );
      return {
        ...publisher,
        send: (job) => {
          target = job.target.id;
          return publisher.send(job);
        },
      };
    },
  };
}
