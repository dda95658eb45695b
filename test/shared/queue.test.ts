import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { sqsQueue } from '../../functions/shared/queues/queue.ts';

const sqs = mockClient(SQSClient);
const queue = sqsQueue<{ workspace_id: string; n: number }>(
  new SQSClient({ region: 'eu-central-1' }),
  'https://sqs/queue',
);
beforeEach(() => sqs.reset());

const body = (n: number) => ({ workspace_id: 'ws-1', n });

describe('send', () => {
  it('sends the body as JSON, in the group of its workspace', async () => {
    sqs.on(SendMessageCommand).resolves({});

    await queue.send({ body: body(1) });

    expect(sqs.commandCalls(SendMessageCommand)[0]?.args[0].input).toEqual({
      QueueUrl: 'https://sqs/queue',
      MessageBody: '{"workspace_id":"ws-1","n":1}',
      MessageGroupId: 'ws-1',
    });
  });

  it('holds a message back for up to 15 minutes, as long as SQS can', async () => {
    sqs.on(SendMessageCommand).resolves({});

    for (const delaySeconds of [0, 1, 900, 901]) await queue.send({ body: body(1), delaySeconds });

    const delays = sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input.DelaySeconds);
    expect(delays).toEqual([undefined, 1, 900, 900]);
  });

  it('fails when SQS does', async () => {
    sqs.on(SendMessageCommand).rejects(new Error('away'));

    await expect(queue.send({ body: body(1) })).rejects.toThrow('away');
  });
});

describe('sendAll', () => {
  const messages = Array.from({ length: 23 }, (_, n) => ({ body: body(n), delaySeconds: n }));

  it('sends ten at a time, with ids of their own, in order', async () => {
    sqs.on(SendMessageBatchCommand).resolves({ Failed: [] });

    await queue.sendAll(messages);

    const batches = sqs.commandCalls(SendMessageBatchCommand).map(({ args }) => args[0].input.Entries ?? []);
    expect(batches.map((entries) => new Set(entries.map(({ Id }) => Id)).size)).toEqual([10, 10, 3]);
    expect(batches.flat().map(({ MessageBody }) => JSON.parse(MessageBody ?? '').n)).toEqual(
      messages.map(({ body }) => body.n),
    );
    expect(batches[2]?.[2]).toMatchObject({ DelaySeconds: 22, MessageGroupId: 'ws-1' });
  });

  it('sends nothing for nothing', async () => {
    await queue.sendAll([]);

    expect(sqs.calls()).toHaveLength(0);
  });

  it('fails when any message was not taken', async () => {
    sqs.on(SendMessageBatchCommand).resolves({
      Failed: [{ Id: '3', Code: 'InternalError', SenderFault: false }],
    });

    await expect(queue.sendAll(messages)).rejects.toThrow(
      '1 messages were not taken by the queue: InternalError',
    );
  });
});
