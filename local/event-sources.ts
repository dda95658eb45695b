import { setTimeout as sleep } from 'node:timers/promises';
import { failedMessages } from './events/batch-response.ts';
import { type QueueMessage, sqsEvent } from './events/sqs-event.ts';
import type { FunctionRuntime } from './functions/runtime.ts';
import type { EventSourceModel, QueueModel, ServiceModel } from './service-model.ts';

/** The queues as their pollers see them. */
export interface MessageSource {
  /** Waits for messages and takes up to `count`, hidden for the queue's visibility timeout; none after `signal`. */
  receive(queue: QueueModel, count: number, signal: AbortSignal): Promise<readonly QueueMessage[]>;
  delete(queue: QueueModel, receipts: readonly string[]): Promise<void>;
}

/** What stops, once it has let go of its work. */
export interface Stoppable {
  stop(): Promise<void>;
}

interface Options {
  readonly model: ServiceModel;
  readonly runtime: FunctionRuntime;
  readonly messages: MessageSource;
}

/** A pause after a failed call for messages, so that a broken queue does not spin. */
const PAUSE_AFTER_FAILURE_MS = 1000;

/**
 * Feeds functions from their queues as Lambda's event source mappings do: a batch that succeeds is deleted;
 * one that fails, or the part of it a function reports, comes back when its visibility timeout ends.
 */
export function startEventSources({ model, runtime, messages }: Options): Stoppable {
  const stopping = new AbortController();
  const pollers = model.eventSources.map((source) =>
    poll(source, { model, runtime, messages }, stopping.signal),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(pollers);
    },
  };
}

/** Asks for messages only while an instance may be free for them: what waits, waits in the queue. */
async function poll(source: EventSourceModel, options: Options, signal: AbortSignal): Promise<void> {
  const queue = options.model.queues.find(({ arn }) => arn === source.queueArn);
  if (!queue) throw new Error(`an event source names ${source.queueArn}, which is no queue of the template`);
  const limit = options.runtime.maxInstancesOf(source.functionId);
  const batches = new Set<Promise<void>>();
  while (!signal.aborted) {
    while (batches.size >= limit) await Promise.race(batches);
    const received = await options.messages.receive(queue, source.batchSize, signal).catch(async (error) => {
      if (signal.aborted) return [];
      console.error(`cannot receive from ${queue.name}:`, error);
      await sleep(PAUSE_AFTER_FAILURE_MS);
      return [];
    });
    if (received.length === 0) continue;
    const batch = work(source, queue, received, options).finally(() => batches.delete(batch));
    batches.add(batch);
  }
}

async function work(
  source: EventSourceModel,
  queue: QueueModel,
  received: readonly QueueMessage[],
  { model, runtime, messages }: Options,
): Promise<void> {
  const invocation = await runtime.invoke(source.functionId, sqsEvent(received, queue.arn, model.region));
  if (invocation.outcome !== 'answered') return;
  const ids = received.map(({ id }) => id);
  const failed = source.reportsBatchItemFailures
    ? failedMessages(invocation.payload, ids)
    : new Set<string>();
  const done = received.filter(({ id }) => !failed.has(id)).map(({ receipt }) => receipt);
  if (done.length === 0) return;
  await messages
    .delete(queue, done)
    .catch((error) => console.error(`cannot delete from ${queue.name}:`, error));
}
