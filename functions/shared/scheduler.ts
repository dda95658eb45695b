import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';

/** One-time schedules that send a message to a queue. */
export interface Scheduler {
  /** Idempotent by name: a schedule that is there already stays as it is. */
  schedule(of: { name: string; atMs: number; message: object }): Promise<void>;
  /** Idempotent: a schedule that has fired or never was is as good as cancelled. */
  cancel(name: string): Promise<void>;
}

interface Target {
  readonly groupName: string;
  readonly queueArn: string;
  /** The role by which EventBridge Scheduler sends to the queue. */
  readonly roleArn: string;
}

/** `at()` has no zone and whole seconds; it is read as UTC by default, and rounded down: early is mended, late is not. */
const atExpression = (atMs: number) => `at(${new Date(atMs).toISOString().slice(0, 19)})`;

/** Schedules over EventBridge Scheduler; each deletes itself after it has fired. */
export function eventBridgeScheduler(
  client: SchedulerClient,
  { groupName, queueArn, roleArn }: Target,
): Scheduler {
  return {
    async schedule({ name, atMs, message }) {
      try {
        await client.send(
          new CreateScheduleCommand({
            Name: name,
            GroupName: groupName,
            ScheduleExpression: atExpression(atMs),
            FlexibleTimeWindow: { Mode: 'OFF' },
            ActionAfterCompletion: 'DELETE',
            Target: { Arn: queueArn, RoleArn: roleArn, Input: JSON.stringify(message) },
          }),
        );
      } catch (error) {
        if (!(error instanceof ConflictException)) throw error;
      }
    },

    async cancel(name) {
      try {
        await client.send(new DeleteScheduleCommand({ Name: name, GroupName: groupName }));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
  };
}
