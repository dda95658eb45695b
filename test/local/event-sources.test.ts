import { describe, expect, it } from 'vitest';
import { type MessageSource, startEventSources } from '../../local/event-sources.ts';
import { failedMessages } from '../../local/events/batch-response.ts';
import type { QueueMessage } from '../../local/events/sqs-event.ts';
import type { Invocation } from '../../local/functions/invocation.ts';
import { serviceModel } from './models.ts';

const QUEUE = {
  logicalId: 'Queue',
  name: 'Queue',
  arn: 'arn:aws:sqs:us-east-1:000000000000:Queue',
  url: 'http://127.0.0.1/Queue',
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 60,
  deadLetter: undefined,
};

const message = (id: string): QueueMessage => ({
  id,
  receipt: `receipt-${id}`,
  body: `{"n":"${id}"}`,
  sentAtMs: 1,
  firstReceivedAtMs: 2,
  receiveCount: 1,
});

/** Feeds these messages to a function that ends so, and returns what was deleted. */
async function deletedAfter(
  ids: readonly string[],
  end: (requestId: string) => Invocation,
  reportsBatchItemFailures = true,
): Promise<{ deleted: string[]; events: unknown[] }> {
  const waiting = ids.map(message);
  const deleted: string[] = [];
  const events: unknown[] = [];
  const messages: MessageSource = {
    receive: async (_queue, count, signal) => {
      const taken = waiting.splice(0, count);
      if (taken.length === 0) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return taken;
    },
    delete: async (_queue, receipts) => void deleted.push(...receipts),
  };
  const sources = startEventSources({
    model: serviceModel({
      queues: [QUEUE],
      eventSources: [
        { queueArn: QUEUE.arn, functionId: 'F', batchSize: 2, maxConcurrency: 2, reportsBatchItemFailures },
      ],
    }),
    messages,
    runtime: {
      maxInstancesOf: () => 2,
      kill: () => {},
      stop: async () => {},
      invoke: async (_functionId, event) => {
        events.push(JSON.parse(event));
        return end('r');
      },
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  await sources.stop();
  return { deleted, events };
}

const answered = (answer: unknown) => (requestId: string) =>
  ({ outcome: 'answered', requestId, payload: JSON.stringify(answer) }) as const;

describe('feeding a function from its queue', () => {
  it('hands over batches and deletes what succeeded', async () => {
    const { deleted, events } = await deletedAfter(['a', 'b', 'c'], answered(null));

    expect(deleted.sort()).toEqual(['receipt-a', 'receipt-b', 'receipt-c']);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      Records: [{ messageId: 'a', eventSource: 'aws:sqs', eventSourceARN: QUEUE.arn }, { messageId: 'b' }],
    });
  });

  it('leaves the messages a function reports as failed', async () => {
    const { deleted } = await deletedAfter(
      ['a', 'b'],
      answered({ batchItemFailures: [{ itemIdentifier: 'a' }] }),
    );

    expect(deleted).toEqual(['receipt-b']);
  });

  it('leaves the whole batch when the function failed', async () => {
    const { deleted } = await deletedAfter(['a'], (requestId) => ({
      outcome: 'failed',
      requestId,
      error: 'x',
    }));

    expect(deleted).toEqual([]);
  });

  it('deletes the batch whatever is answered where failures are not reported one by one', async () => {
    const { deleted } = await deletedAfter(
      ['a'],
      answered({ batchItemFailures: [{ itemIdentifier: 'a' }] }),
      false,
    );

    expect(deleted).toEqual(['receipt-a']);
  });

  it.each([
    [{ batchItemFailures: [{ itemIdentifier: 'stranger' }] }],
    [{ batchItemFailures: [{ itemIdentifier: '' }] }],
    [{ batchItemFailures: [{ identifier: 'a' }] }],
    ['done'],
  ])('takes the unreadable answer %j for a failure of all', (answer) => {
    expect(failedMessages(JSON.stringify(answer), ['a', 'b'])).toEqual(new Set(['a', 'b']));
  });
});
