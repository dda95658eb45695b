import type { Message, Queue } from '../../../functions/shared/queues/queue.ts';
import type { Ended, Process } from './process.ts';
import type { World } from './world.ts';

/** How a queue misbehaves within what SQS allows, and, by `loses`, beyond it. */
export interface QueueHabits {
  /** The chance that a message is delivered a second time. @default 0.02 */
  readonly duplicates?: number;
  /** From being visible to being received, at most. @default 60 */
  readonly latestMs?: number;
  /** @default none */
  readonly loses?: (body: unknown) => boolean;
  /** @default 1000 */
  readonly maxConcurrency?: number;
  /** Whether a workspace with a backlog waits for itself alone. @default true */
  readonly isFair?: boolean;
  readonly visibilityMs: number;
}

/** A standard queue and the event source that feeds a worker from it. */
export interface SimulatedQueue<Body> {
  /** The queue as a process sees it. */
  for(process: Process): Queue<Body>;
  /** Puts a message in from outside, such as a schedule does. */
  put(body: Body, delaySeconds?: number): void;
  /** How long each workspace's messages waited, from being visible to being received, in milliseconds. */
  readonly waits: { readonly workspace: string; readonly ms: number }[];
  readonly deadLetters: Body[];
}

interface InQueue<Body> {
  readonly body: Body;
  visibleSinceMs: number;
  receives: number;
}

const MAX_RECEIVES = 5;

/** Makes a queue whose messages run `work`. */
export function simulatedQueue<Body extends { readonly workspace_id: string }>(
  world: World,
  name: string,
  habits: QueueHabits,
  work: (body: Body) => Promise<Ended>,
): SimulatedQueue<Body> {
  const { duplicates = 0.02, latestMs = 60, maxConcurrency = 1000, isFair = true, visibilityMs } = habits;
  const visible = new Map<string, InQueue<Body>[]>();
  const running = new Map<string, number>();
  const waits: SimulatedQueue<Body>['waits'] = [];
  const deadLetters: Body[] = [];
  let busy = 0;

  const show = (message: InQueue<Body>, inMs: number) =>
    world.after(inMs, () => {
      message.visibleSinceMs = world.now();
      const group = isFair ? message.body.workspace_id : '';
      visible.set(group, [...(visible.get(group) ?? []), message]);
      pump();
    });
  /** A fair queue prefers the groups with the fewest messages in flight. */
  const next = () => {
    const groups = [...visible].filter(([, waiting]) => waiting.length > 0);
    const [group] = groups.sort(([a], [b]) => (running.get(a) ?? 0) - (running.get(b) ?? 0));
    return group && { group: group[0], message: group[1].shift() };
  };
  const pump = () => {
    while (busy < maxConcurrency) {
      const taken = next();
      if (!taken?.message) return;
      deliver(taken.message, taken.group);
    }
  };
  const deliver = (message: InQueue<Body>, group: string) => {
    busy += 1;
    running.set(group, (running.get(group) ?? 0) + 1);
    message.receives += 1;
    waits.push({ workspace: message.body.workspace_id, ms: world.now() - message.visibleSinceMs });
    void work(message.body).then((ended) => {
      busy -= 1;
      running.set(group, (running.get(group) ?? 1) - 1);
      if (ended !== 'done' && message.receives < MAX_RECEIVES) show(message, visibilityMs);
      else if (ended !== 'done') deadLetters.push(message.body);
      pump();
    });
  };
  const put = (body: Body, delaySeconds = 0) => {
    if (habits.loses?.(body)) return;
    const sent = () => ({ body, visibleSinceMs: 0, receives: 0 });
    show(sent(), delaySeconds * 1000 + world.between(1, latestMs));
    if (world.random() < duplicates) show(sent(), delaySeconds * 1000 + world.between(1, 60_000));
  };
  const putOne = ({ body, delaySeconds }: Message<Body>) => put(body, delaySeconds);
  return {
    put,
    waits,
    deadLetters,
    for: (process) => ({
      send: (message) => process.call(`${name}.send`, () => putOne(message)),
      sendAll: (messages) => process.call(`${name}.sendAll`, () => messages.forEach(putOne)),
    }),
  };
}
