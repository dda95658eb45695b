import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Alarms } from '../constructs/alarms.ts';
import { OneTimeSchedules } from '../constructs/one-time-schedules.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

interface DispatchProps {
  readonly alarms?: Alarms | undefined;
}

/** How long start-post may take, the wait for the last fraction of a second included. */
export const START_TIMEOUT = Duration.seconds(30);

/** From a committed post to its publication: the queue of due posts, and the schedules that fill it. */
export class Dispatch extends Construct {
  readonly dueQueue: WorkQueue;
  readonly schedules: OneTimeSchedules;

  constructor(scope: Construct, id: string, { alarms }: DispatchProps) {
    super(scope, id);
    this.dueQueue = new WorkQueue(this, 'DueQueue', {
      workTimeout: START_TIMEOUT,
      impact: 'posts start late, driven by the sweeper alone.',
      alarms,
    });
    this.schedules = new OneTimeSchedules(this, 'PostSchedules', { target: this.dueQueue });
  }
}
