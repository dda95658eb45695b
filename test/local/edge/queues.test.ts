import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Edge } from '../../../local/edge/start-edge.ts';
import { ARNS, edgeModel } from './edge-model.ts';
import { clients, stateDirectory, testEdge } from './edge-under-test.ts';

const START = Date.parse('2026-11-21T10:00:00Z');
const QueueUrl = edgeModel().queues[0]?.url;
let directory: ReturnType<typeof stateDirectory>;
let clock = START;
let edge: Edge;

const operator = () => clients(edge, 'operator').sqs;
const send = (MessageBody: string, DelaySeconds = 0) =>
  operator().send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds }));
const receive = async () =>
  (
    await operator().send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
    )
  ).Messages ?? [];
const bodies = async () => (await receive()).map(({ Body }) => Body);

beforeEach(async () => {
  clock = START;
  directory = stateDirectory();
  edge = await testEdge({ stateDirectory: directory.path, now: () => clock });
});
afterEach(async () => {
  await edge.stop();
  directory.remove();
});

it('hides a received message until its visibility timeout, then gives it again', async () => {
  await send('a');

  const [message] = await receive();
  clock += 29_999;
  expect(await bodies()).toEqual([]);
  clock += 1;
  const [again] = await receive();

  expect(again?.MessageId).toBe(message?.MessageId);
  expect(again?.Attributes).toEqual({ ApproximateReceiveCount: '2' });
});

it('holds a delayed message back until its time', async () => {
  await send('later', 900);

  clock += 899_999;
  expect(await bodies()).toEqual([]);
  clock += 1;

  expect(await bodies()).toEqual(['later']);
});

it('forgets a deleted message', async () => {
  await send('a');
  const [message] = await receive();

  await operator().send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
  clock += 60_000;

  expect(await bodies()).toEqual([]);
});

it('sets a message aside after too many receives, and moves it back on request', async () => {
  await send('poison');
  for (const _ of [1, 2]) {
    expect(await bodies()).toEqual(['poison']);
    clock += 30_000;
  }

  expect(await bodies()).toEqual([]);
  await operator().send(new StartMessageMoveTaskCommand({ SourceArn: ARNS.deadQueue }));

  expect(await bodies()).toEqual(['poison']);
});

it('wakes a waiting receiver when a message arrives or returns', async () => {
  const waiting = operator().send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
  await send('now');
  const { Messages: [message] = [] } = await waiting;

  const waitingAgain = operator().send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
  await operator().send(
    new ChangeMessageVisibilityCommand({
      QueueUrl,
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout: 0,
    }),
  );

  expect((await waitingAgain).Messages).toMatchObject([{ Body: 'now' }]);
});

it('leaves a message in the queue when its receiver has hung up', async () => {
  const abort = new AbortController();
  const waiting = operator().send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
    abortSignal: abort.signal,
  });
  setTimeout(() => abort.abort(), 30);
  await expect(waiting).rejects.toThrow();

  await send('a');

  expect(await bodies()).toEqual(['a']);
});

it('keeps to the limits of SQS', async () => {
  await expect(send('a', 901)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  await expect(send('x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  await expect(send('\u0000')).rejects.toMatchObject({ name: 'InvalidMessageContents' });
  const Entries = [
    { Id: 'good', MessageBody: 'a' },
    { Id: 'late', MessageBody: 'b', DelaySeconds: 901 },
  ];
  const batch = await operator().send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  expect(batch.Successful).toMatchObject([{ Id: 'good' }]);
  expect(batch.Failed).toMatchObject([{ Id: 'late', Code: 'InvalidParameterValue' }]);
});

it('judges a batch by the permission for one message, and other queues apart', async () => {
  const { sqs } = clients(edge, 'CreatePost');
  const dead = { QueueUrl: edgeModel().queues[1]?.url, MessageBody: 'a' };

  await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: '1', MessageBody: 'a' }] }));

  await expect(sqs.send(new SendMessageCommand(dead))).rejects.toThrow(
    `sqs:SendMessage on resource: ${ARNS.deadQueue}`,
  );
});

it('keeps delayed and received messages through kill -9', async () => {
  const home = stateDirectory();
  const script = `
    import { openQueues } from ${JSON.stringify(new URL('../../../local/edge/sqs/queues.ts', import.meta.url).href)};
    const model = ${JSON.stringify(edgeModel())};
    const queues = openQueues(model, ${JSON.stringify(home.path)}, () => ${START});
    queues.send(model.queues[0], 'received');
    queues.store.receive(model.queues[0], 1, ${START + 30_000});
    queues.send(model.queues[0], 'delayed', 60);
    queues.send(model.queues[0], 'ready');
    process.kill(process.pid, 'SIGKILL');`;
  await once(spawn(process.execPath, ['--input-type=module', '-e', script]), 'exit');

  const revived = await testEdge({ stateDirectory: home.path, now: () => START });
  const { Attributes } = await clients(revived, 'operator').sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );

  expect(Attributes).toMatchObject({
    ApproximateNumberOfMessages: '1',
    ApproximateNumberOfMessagesNotVisible: '1',
    ApproximateNumberOfMessagesDelayed: '1',
  });
  await revived.stop();
  home.remove();
});
