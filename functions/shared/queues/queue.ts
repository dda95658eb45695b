import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** SQS takes at most 15 minutes of delay and ten messages in a batch (SQS API reference). */
export const MAX_DELAY_SECONDS = 900;
const MESSAGES_PER_CALL = 10;

/** One message, and how long the queue keeps it back. */
export interface Message<Body> {
  readonly body: Body;
  /** Whole seconds, 0 to 900. @default 0 */
  readonly delaySeconds?: number;
}

/** A queue of messages of one kind. */
export interface Queue<Body> {
  send(message: Message<Body>): Promise<void>;
  /** @throws when any message was not taken; those that were taken stay sent, which is harmless. */
  sendAll(messages: readonly Message<Body>[]): Promise<void>;
}

/**
 * A queue over SQS. Messages carry their workspace as group, which on a standard queue makes it fair: a
 * workspace with a backlog does not delay the others (SQS developer guide, "fair queues").
 */
export function sqsQueue<Body extends { readonly workspace_id: string }>(
  client: SQSClient,
  queueUrl: string,
): Queue<Body> {
  const entry = ({ body, delaySeconds = 0 }: Message<Body>) => ({
    MessageBody: JSON.stringify(body),
    MessageGroupId: body.workspace_id,
    ...(delaySeconds > 0 && { DelaySeconds: Math.min(delaySeconds, MAX_DELAY_SECONDS) }),
  });
  return {
    async send(message) {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, ...entry(message) }));
    },
    async sendAll(messages) {
      for (let from = 0; from < messages.length; from += MESSAGES_PER_CALL) {
        const { Failed = [] } = await client.send(
          new SendMessageBatchCommand({
            QueueUrl: queueUrl,
            Entries: messages
              .slice(from, from + MESSAGES_PER_CALL)
              .map((message, index) => ({ Id: String(index), ...entry(message) })),
          }),
        );
        if (Failed.length > 0) {
          throw new Error(`${Failed.length} messages were not taken by the queue: ${Failed[0]?.Code}`);
        }
      }
    },
  };
}
