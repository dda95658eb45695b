import type { ServiceModel } from '../../service-model.ts';
import { AwsError } from '../aws-error.ts';
import { evaluate } from '../iam/authorise.ts';
import { seededRandom } from '../seeded-random.ts';
import type { Queues } from '../sqs/queues.ts';
import { type Definition, parseDefinition, timeOf } from './definition.ts';
import { type Schedule, type ScheduleStore, scheduleStore } from './schedule-store.ts';

/** How EventBridge Scheduler behaves where its guide leaves it open. */
export interface Habits {
  /** A schedule fires at its time plus less than this. */
  readonly latestMs: number;
  /** The chance that one fires twice. */
  readonly duplicates: number;
  /** Where chance starts. */
  readonly seed: number;
}

/** What the scheduler is started with. */
export interface SchedulerOptions {
  readonly model: ServiceModel;
  readonly queues: Queues;
  readonly stateDirectory: string;
  readonly now: () => number;
  readonly habits: Partial<Habits> | undefined;
}

/** One-time schedules that send to queues. */
export interface Scheduler {
  readonly store: ScheduleStore;
  /** Creates or replaces. @throws {AwsError} ValidationException on a time that is none or past */
  arrange(name: string, definition: Definition): void;
  /** Sends what is due by now; returns how many fired. */
  fireDue(): number;
  close(): void;
}

const DEFAULT_HABITS: Habits = { latestMs: 60_000, duplicates: 0.05, seed: 1 };
const TICK_MS = 250;
const RETRY_AFTER_MS = 60_000;

/**
 * Fires schedules never early, up to a minute late, sometimes twice. The message is sent before the
 * schedule is marked fired, so an end of the process in between repeats it and never loses it.
 */
export function startScheduler({ model, queues, stateDirectory, now, habits }: SchedulerOptions): Scheduler {
  const { latestMs, duplicates, seed } = { ...DEFAULT_HABITS, ...habits };
  const store = scheduleStore(stateDirectory);
  const random = seededRandom(seed);

  const fire = (schedule: Schedule) => {
    const definition = parseDefinition(JSON.parse(schedule.definition));
    const refusal = deliver(definition, model, queues);
    if (refusal !== undefined) {
      console.error(`schedule ${schedule.name} could not be delivered, next try in a minute: ${refusal}`);
      store.put({ ...schedule, firesAt: now() + RETRY_AFTER_MS });
      return;
    }
    if (random() < duplicates) deliver(definition, model, queues);
    if (definition.ActionAfterCompletion === 'DELETE') store.delete(schedule.group, schedule.name);
    else store.put({ ...schedule, firesAt: undefined });
  };
  const fireDue = () => {
    const due = store.due(now());
    due.forEach(fire);
    return due.length;
  };
  const timer = setInterval(fireDue, TICK_MS).unref();

  return {
    store,
    fireDue,
    arrange(name, definition) {
      const group = definition.GroupName;
      const dueAt = timeOf(definition.ScheduleExpression, now());
      const createdAt = store.find(group, name)?.createdAt ?? now();
      const firesAt = dueAt + Math.floor(random() * latestMs);
      const { ClientToken: clientToken } = definition;
      const kept = JSON.stringify(definition);
      store.put({ group, name, definition: kept, clientToken, createdAt, modifiedAt: now(), dueAt, firesAt });
    },
    close: () => {
      clearInterval(timer);
      store.close();
    },
  };
}

/** Sends as the schedule's own role; answers why it could not. */
function deliver({ Target }: Definition, model: ServiceModel, queues: Queues): string | undefined {
  const role = model.roles.find(({ arn }) => arn === Target.RoleArn);
  const queue = queues.byArn(Target.Arn);
  if (queue === undefined) return `no queue ${Target.Arn}`;
  if (role === undefined) return `no role ${Target.RoleArn}`;
  const verdict = evaluate(role.statements, { action: 'sqs:SendMessage', resource: queue.arn });
  if (verdict !== 'allowed') return `${role.arn} may not sqs:SendMessage to ${queue.arn} (${verdict})`;
  queues.send(queue, Target.Input);
  return undefined;
}

/** @throws {AwsError} ResourceNotFoundException */
export function existing(store: ScheduleStore, group: string, name: string): Schedule {
  const schedule = store.find(group, name);
  if (schedule === undefined)
    throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404);
  return schedule;
}
