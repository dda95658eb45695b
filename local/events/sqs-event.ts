import { createHash } from 'node:crypto';

/** A message taken from a queue; times in epoch milliseconds. */
export interface QueueMessage {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  readonly receiveCount: number;
}

/** The event (JSON text) that Lambda makes of messages. */
export function sqsEvent(messages: readonly QueueMessage[], queueArn: string, region: string): string {
  const records = messages.map((message) => ({
    messageId: message.id,
    receiptHandle: message.receipt,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentAtMs),
      SenderId: 'local',
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAtMs),
    },
    messageAttributes: {},
    md5OfBody: createHash('md5').update(message.body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  }));
  return JSON.stringify({ Records: records });
}
