import type { QueueModel, ServiceModel } from '../../service-model.ts';
import { AwsError } from '../aws-error.ts';
import { type Arrivals, arrivals } from './arrivals.ts';
import { type MessageStore, messageStore } from './message-store.ts';

/** The model's queues with their messages. */
export interface Queues {
  readonly store: MessageStore;
  readonly arrivals: Arrivals;
  /** @throws {AwsError} QueueDoesNotExist */
  byUrl(url: string): QueueModel;
  byArn(arn: string): QueueModel | undefined;
  byName(name: string): QueueModel | undefined;
  readonly all: readonly QueueModel[];
  now(): number;
  /** Puts a message into a queue and wakes who waits for it. Returns its id. */
  send(queue: QueueModel, body: string, delaySeconds?: number): string;
  close(): void;
}

/** Queues that keep their messages, delays and visibility timeouts in the state directory. */
export function openQueues(model: ServiceModel, stateDirectory: string, now: () => number): Queues {
  const store = messageStore(stateDirectory, now);
  const waiting = arrivals(store.nextVisibleAt, now);
  const byArn = new Map(model.queues.map((queue) => [queue.arn, queue]));
  const byName = new Map(model.queues.map((queue) => [queue.name, queue]));

  return {
    store,
    arrivals: waiting,
    all: model.queues,
    now,
    byArn: (arn) => byArn.get(arn),
    byName: (name) => byName.get(name),
    // The name alone decides: the host and port of a URL change with every start.
    byUrl: (url) => {
      const queue = byName.get(url.slice(url.lastIndexOf('/') + 1));
      if (queue === undefined)
        throw new AwsError('QueueDoesNotExist', `The specified queue does not exist: ${url}`);
      return queue;
    },
    send: (queue, body, delaySeconds = 0) => {
      const id = store.send(queue.arn, body, now() + delaySeconds * 1000);
      waiting.announce(queue.arn);
      return id;
    },
    close: () => {
      waiting.close();
      store.close();
    },
  };
}
