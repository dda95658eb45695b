import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { redrive } from '../../bin/operator/redrive.ts';

const sqs = mockClient(SQSClient);
const queue = { queueUrl: 'https://sqs/due', deadLettersUrl: 'https://sqs/due-dead-letters' };
const run = () => redrive(new SQSClient({ region: 'eu-central-1' }), queue);
beforeEach(() => sqs.reset());

const messages = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    Body: `body-${n}`,
    ReceiptHandle: `receipt-${n}`,
    Attributes: n === 0 ? { MessageGroupId: 'ws-1' } : undefined,
  }));
const allTaken = () =>
  sqs
    .on(SendMessageBatchCommand)
    .callsFake(({ Entries }) => ({ Successful: Entries.map(({ Id }: { Id: string }) => ({ Id })) }));

describe('redrive', () => {
  it('moves all messages, batch by batch, until none is left', async () => {
    sqs
      .on(ReceiveMessageCommand, { QueueUrl: queue.deadLettersUrl })
      .resolvesOnce({ Messages: messages(10) })
      .resolvesOnce({ Messages: messages(3) })
      .resolves({});
    allTaken();
    sqs.on(DeleteMessageBatchCommand).resolves({});

    expect(await run()).toBe(13);
    const sent = sqs.commandCalls(SendMessageBatchCommand).map(({ args }) => args[0].input);
    expect(sent.map(({ QueueUrl, Entries }) => [QueueUrl, Entries?.length])).toEqual([
      [queue.queueUrl, 10],
      [queue.queueUrl, 3],
    ]);
    expect(sent[0]?.Entries?.slice(0, 2)).toEqual([
      { Id: '0', MessageBody: 'body-0', MessageGroupId: 'ws-1' },
      { Id: '1', MessageBody: 'body-1' },
    ]);
  });

  it('asks long enough that an empty answer means an empty queue', async () => {
    sqs.on(ReceiveMessageCommand).resolves({});

    expect(await run()).toBe(0);
    expect(sqs.commandCalls(ReceiveMessageCommand)[0]?.args[0].input.WaitTimeSeconds).toBeGreaterThan(0);
    expect(sqs.calls()).toHaveLength(1);
  });

  it('deletes a message only after it was sent', async () => {
    sqs
      .on(ReceiveMessageCommand)
      .resolvesOnce({ Messages: messages(1) })
      .resolves({});
    allTaken();
    sqs.on(DeleteMessageBatchCommand).resolves({});

    await run();

    const order = sqs.calls().map(({ args }) => args[0].constructor.name);
    expect(order.slice(0, 3)).toEqual([
      'ReceiveMessageCommand',
      'SendMessageBatchCommand',
      'DeleteMessageBatchCommand',
    ]);
  });

  it('deletes nothing when sending fails', async () => {
    sqs.on(ReceiveMessageCommand).resolves({ Messages: messages(2) });
    sqs.on(SendMessageBatchCommand).rejects(new Error('away'));

    await expect(run()).rejects.toThrow('away');
    expect(sqs.commandCalls(DeleteMessageBatchCommand)).toHaveLength(0);
  });

  it('deletes what was taken, leaves what was not, and says so', async () => {
    sqs.on(ReceiveMessageCommand).resolves({ Messages: messages(3) });
    sqs.on(SendMessageBatchCommand).resolves({
      Successful: [
        { Id: '2', MessageId: '', MD5OfMessageBody: '' },
        { Id: '0', MessageId: '', MD5OfMessageBody: '' },
      ],
      Failed: [{ Id: '1', Code: 'InternalError', SenderFault: false }],
    });
    sqs.on(DeleteMessageBatchCommand).resolves({});

    await expect(run()).rejects.toThrow(
      '1 messages were not taken by the queue after 2 were: run redrive again',
    );
    const deleted = sqs.commandCalls(DeleteMessageBatchCommand).map(({ args }) => args[0].input);
    expect(
      deleted.map(({ QueueUrl, Entries }) => [QueueUrl, Entries?.map(({ ReceiptHandle }) => ReceiptHandle)]),
    ).toEqual([[queue.deadLettersUrl, ['receipt-2', 'receipt-0']]]);
  });

  it('deletes nothing when nothing was taken', async () => {
    sqs.on(ReceiveMessageCommand).resolves({ Messages: messages(1) });
    sqs.on(SendMessageBatchCommand).resolves({ Successful: [], Failed: [] });

    await expect(run()).rejects.toThrow('run redrive again');
    expect(sqs.commandCalls(DeleteMessageBatchCommand)).toHaveLength(0);
  });
});
