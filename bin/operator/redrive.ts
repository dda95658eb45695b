import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { OperatorError } from './operator-error.ts';

/** A queue and where its messages are set aside. */
export interface RedrivenQueue {
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
}

/** Long polling asks all of SQS's servers, so that an empty answer means an empty queue. */
const WAIT_SECONDS = 1;

/**
 * Puts all messages that were set aside back into their queue. A message is deleted after it was sent, so
 * that a crash in between sends it twice and loses none; workers take a message twice without harm.
 *
 * @returns how many messages were put back.
 * @throws {OperatorError} when the queue did not take them all; those that were not stay set aside.
 */
export async function redrive(
  client: SQSClient,
  { queueUrl, deadLettersUrl }: RedrivenQueue,
): Promise<number> {
  for (let redriven = 0; ; ) {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: deadLettersUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }),
    );
    if (messages.length === 0) return redriven;
    const sent = await sendAgain(client, queueUrl, messages);
    if (sent.length > 0) await forget(client, deadLettersUrl, sent);
    redriven += sent.length;
    if (sent.length < messages.length) {
      throw new OperatorError(
        `${messages.length - sent.length} messages were not taken by the queue after ${redriven} were: run redrive again`,
      );
    }
  }
}

async function sendAgain(client: SQSClient, queueUrl: string, messages: Message[]): Promise<Message[]> {
  const { Successful = [] } = await client.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: messages.map(({ Body, Attributes }, index) => ({
        Id: String(index),
        MessageBody: Body,
        // The group keeps the queue fair between workspaces.
        ...(Attributes?.MessageGroupId && { MessageGroupId: Attributes.MessageGroupId }),
      })),
    }),
  );
  return Successful.flatMap(({ Id }) => messages[Number(Id)] ?? []);
}

async function forget(client: SQSClient, deadLettersUrl: string, messages: Message[]): Promise<void> {
  await client.send(
    new DeleteMessageBatchCommand({
      QueueUrl: deadLettersUrl,
      Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    }),
  );
}
