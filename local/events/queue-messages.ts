import type { Queues } from '../edge/sqs/queues.ts';
import type { MessageSource } from '../event-sources.ts';

/** As long as SQS lets a receiver wait. */
const LONG_POLL_MS = 20_000;

/**
 * Takes messages from the edge's queues directly: AWS polls for its functions too, so these calls are
 * nobody's to pay for, count or fail.
 */
export function queueMessages(queues: Queues): MessageSource {
  return {
    receive: async (queue, count, signal) => {
      const take = () =>
        signal.aborted
          ? []
          : queues.store.receive(queue, count, queues.now() + queue.visibilityTimeoutSeconds * 1000);
      const ready = take();
      if (ready.length === 0) await queues.arrivals.wait(queue.arn, LONG_POLL_MS, signal);
      return (ready.length > 0 ? ready : take()).map((message) => ({
        id: message.id,
        receipt: message.receipt,
        body: message.body,
        sentAtMs: message.sentAt,
        firstReceivedAtMs: message.firstReceivedAt,
        receiveCount: message.receives,
      }));
    },
    delete: async (queue, receipts) => {
      for (const receipt of receipts) queues.store.delete(queue.arn, receipt);
    },
  };
}
