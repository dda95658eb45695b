import type { QueueModel } from '../../service-model.ts';
import { AwsError } from '../aws-error.ts';
import { type Json, listOf, textOf } from '../json.ts';
import { type Message, md5Hex } from '../sqs/message-store.ts';
import type { Queues } from '../sqs/queues.ts';
import { batch, entries, invalid, within } from './sqs-input.ts';

type Operation = (input: Json, queues: Queues, gone: AbortSignal) => Json | Promise<Json>;

const MAX_DELAY_SECONDS = 900;
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_WAIT_SECONDS = 20;
const MAX_MESSAGES = 10;
const MAX_MESSAGE_BYTES = 1024 * 1024;
// What XML 1.0 cannot say, SQS does not carry.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const FORBIDDEN_CHARACTERS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u;

/** What each SQS operation does. */
export const SQS_OPERATIONS: Readonly<Record<string, Operation>> = {
  SendMessage: (input, queues) => send(input, queues.byUrl(textOf(input.QueueUrl)), queues),
  SendMessageBatch: (input, queues) => {
    const queue = queues.byUrl(textOf(input.QueueUrl));
    const bytes = entries(input).reduce(
      (sum, entry) => sum + Buffer.byteLength(textOf(entry.MessageBody)),
      0,
    );
    if (bytes > MAX_MESSAGE_BYTES) {
      throw new AwsError(
        'BatchRequestTooLong',
        `Batch requests cannot be longer than ${MAX_MESSAGE_BYTES} bytes, got ${bytes}.`,
      );
    }
    return batch(input, (entry) => send(entry, queue, queues));
  },
  ReceiveMessage: (input, queues, gone) => receive(input, queues, gone),
  DeleteMessage: (input, queues) => remove(input, queues.byUrl(textOf(input.QueueUrl)), queues),
  DeleteMessageBatch: (input, queues) => {
    const queue = queues.byUrl(textOf(input.QueueUrl));
    return batch(input, (entry) => remove(entry, queue, queues));
  },
  ChangeMessageVisibility: (input, queues) =>
    changeVisibility(input, queues.byUrl(textOf(input.QueueUrl)), queues),
  ChangeMessageVisibilityBatch: (input, queues) => {
    const queue = queues.byUrl(textOf(input.QueueUrl));
    return batch(input, (entry) => changeVisibility(entry, queue, queues));
  },
  GetQueueUrl: (input, queues) => ({ QueueUrl: queues.byUrl(textOf(input.QueueName)).url }),
  ListQueues: (_input, queues) => ({ QueueUrls: queues.all.map(({ url }) => url) }),
  GetQueueAttributes: (input, queues) => {
    const all = attributes(queues.byUrl(textOf(input.QueueUrl)), queues);
    const wanted = listOf(input.AttributeNames);
    return {
      Attributes: Object.fromEntries(
        Object.entries(all).filter(([name]) => wanted.includes('All') || wanted.includes(name)),
      ),
    };
  },
  PurgeQueue: (input, queues) => {
    queues.store.purge(queues.byUrl(textOf(input.QueueUrl)).arn);
    return {};
  },
  // Done before it answers, so the handle stands for a finished task.
  StartMessageMoveTask: (input, queues) => {
    const target = input.DestinationArn === undefined ? undefined : textOf(input.DestinationArn);
    const moved = queues.store.move(textOf(input.SourceArn), target);
    for (const { arn } of queues.all) queues.arrivals.announce(arn);
    return { TaskHandle: `moved-${moved}` };
  },
};

function send(input: Json, queue: QueueModel, queues: Queues): Json {
  const body = textOf(input.MessageBody);
  const delaySeconds = within(input, 'DelaySeconds', 0, MAX_DELAY_SECONDS) ?? 0;
  const bytes = Buffer.byteLength(body);
  if (bytes === 0)
    throw new AwsError('MissingParameter', 'The request must contain the parameter MessageBody.');
  if (bytes > MAX_MESSAGE_BYTES) {
    throw invalid(
      `One or more parameters are invalid. Reason: Message must be shorter than ${MAX_MESSAGE_BYTES} bytes.`,
    );
  }
  if (FORBIDDEN_CHARACTERS.test(body))
    throw new AwsError('InvalidMessageContents', 'Invalid characters found.');
  // A MessageGroupId only makes a standard queue fair between tenants; messages here never wait long enough.
  for (const unsupported of ['MessageAttributes', 'MessageDeduplicationId']) {
    if (unsupported in input) throw invalid(`the local queues do not support ${unsupported}`);
  }
  return { MessageId: queues.send(queue, body, delaySeconds), MD5OfMessageBody: md5Hex(body) };
}

async function receive(input: Json, queues: Queues, gone: AbortSignal): Promise<Json> {
  const queue = queues.byUrl(textOf(input.QueueUrl));
  const count = within(input, 'MaxNumberOfMessages', 1, MAX_MESSAGES) ?? 1;
  const waitMs = (within(input, 'WaitTimeSeconds', 0, MAX_WAIT_SECONDS) ?? 0) * 1000;
  const hiddenMs =
    (within(input, 'VisibilityTimeout', 0, MAX_VISIBILITY_SECONDS) ?? queue.visibilityTimeoutSeconds) * 1000;
  const until = performance.now() + waitMs;
  // A receiver that has hung up must not take messages with it.
  while (!gone.aborted) {
    const messages = queues.store.receive(queue, count, queues.now() + hiddenMs);
    const leftMs = until - performance.now();
    if (messages.length > 0) return { Messages: messages.map((message) => messageOutput(message, input)) };
    if (leftMs <= 0) break;
    await queues.arrivals.wait(queue.arn, leftMs, gone);
  }
  return {};
}

function messageOutput(message: Message, { AttributeNames, MessageSystemAttributeNames }: Json): Json {
  const all = {
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receives),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
  };
  // Only who asks for them gets them; code that forgets to ask must not work here alone.
  const asked = [...listOf(AttributeNames), ...listOf(MessageSystemAttributeNames)];
  const given = Object.entries(all).filter(([name]) => asked.includes('All') || asked.includes(name));
  return {
    MessageId: message.id,
    ReceiptHandle: message.receipt,
    MD5OfBody: md5Hex(message.body),
    Body: message.body,
    ...(given.length > 0 && { Attributes: Object.fromEntries(given) }),
  };
}

function remove(input: Json, queue: QueueModel, queues: Queues): Json {
  queues.store.delete(queue.arn, textOf(input.ReceiptHandle));
  return {};
}

function changeVisibility(input: Json, queue: QueueModel, queues: Queues): Json {
  const seconds = within(input, 'VisibilityTimeout', 0, MAX_VISIBILITY_SECONDS) ?? 0;
  if (!queues.store.hideUntil(queue.arn, textOf(input.ReceiptHandle), queues.now() + seconds * 1000)) {
    throw new AwsError('MessageNotInflight', 'The message referred to is not in flight.');
  }
  queues.arrivals.announce(queue.arn);
  return {};
}

function attributes(queue: QueueModel, queues: Queues): Readonly<Record<string, string>> {
  const { visible, inFlight, delayed } = queues.store.depth(queue.arn);
  const { deadLetter } = queue;
  return {
    QueueArn: queue.arn,
    VisibilityTimeout: String(queue.visibilityTimeoutSeconds),
    MessageRetentionPeriod: String(queue.retentionSeconds),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    ...(deadLetter && {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: deadLetter.arn,
        maxReceiveCount: deadLetter.maxReceiveCount,
      }),
    }),
  };
}
