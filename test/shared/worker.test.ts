import type { Context, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { worker } from '../../functions/shared/queues/worker.ts';
import { logger } from '../../functions/shared/telemetry.ts';

const Message = v.object({ workspace_id: v.string(), n: v.number() });
const context = { awsRequestId: 'request-1' } as Context;
const eventOf = (...bodies: string[]): SQSEvent => ({
  Records: bodies.map((body, index) => ({
    messageId: `message-${index}`,
    receiptHandle: '',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: 'eu-central-1',
  })),
});
const body = (n: unknown) => JSON.stringify({ workspace_id: 'ws-1', n });
const failed = ({ batchItemFailures }: { batchItemFailures: { itemIdentifier: string }[] }) =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

const written = vi
  .spyOn(logger['console' as keyof typeof logger] as unknown as Console, 'error')
  .mockReturnValue();
beforeEach(() => written.mockClear());

describe('worker', () => {
  it('hands each message to its handler, read by the schema', async () => {
    const handle = vi.fn(async () => {});

    const response = await worker(Message, handle)(eventOf(body(1), body(2)), context);

    expect(response).toEqual({ batchItemFailures: [] });
    expect(handle.mock.calls).toEqual([
      [{ workspace_id: 'ws-1', n: 1 }, context],
      [{ workspace_id: 'ws-1', n: 2 }, context],
    ]);
  });

  it('reports what failed and only that, so that the rest of a batch is done', async () => {
    const handle = async ({ n }: { n: number }) => {
      if (n === 2) throw new Error('no');
    };

    const response = await worker(Message, handle)(eventOf(body(1), body(2), body(3)), context);

    expect(failed(response)).toEqual(['message-1']);
  });

  it('reports all when all failed, instead of throwing', async () => {
    const fail = async () => Promise.reject(new Error('no'));

    const response = await worker(Message, fail)(eventOf(body(1), body(2)), context);

    expect(failed(response)).toEqual(['message-0', 'message-1']);
  });

  it.each(['', 'SECRET', '{"workspace_id":"SECRET"', 'null', body('SECRET')])(
    'never acknowledges what it cannot read, and logs no payload: %s',
    async (text) => {
      const handle = vi.fn(async () => {});

      const response = await worker(Message, handle)(eventOf(text), context);

      expect(failed(response)).toEqual(['message-0']);
      expect(handle).not.toHaveBeenCalled();
      expect(written.mock.calls.join()).toContain('message-0');
      expect(written.mock.calls.join()).not.toContain('SECRET');
    },
  );

  it('forgets the failures of one batch before the next', async () => {
    const handler = worker(Message, async ({ n }) => {
      if (n === 2) throw new Error('no');
    });

    await handler(eventOf(body(2)), context);

    expect(failed(await handler(eventOf(body(1)), context))).toEqual([]);
  });
});
