import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { Permission } from './permission.ts';
import type { WorkQueue } from './work-queue.ts';

interface OneTimeSchedulesProps {
  /** The one queue schedules may send to. */
  readonly target: WorkQueue;
}

/** Schedules that functions make at run time, each of which sends one message to the target queue. */
export class OneTimeSchedules extends Construct {
  readonly group: ScheduleGroup;
  /** What EventBridge Scheduler acts as when it sends. */
  readonly role: Role;

  constructor(scope: Construct, id: string, props: OneTimeSchedulesProps) {
    super(scope, id);
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', { assumedBy: schedulerOf(this, this.group.scheduleGroupArn) });
    this.role.addToPrincipalPolicy(props.target.send().statement);
  }

  /** Permission to make schedules, and to hand them the role they send with. */
  create(): readonly Permission[] {
    const passRole = new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [this.role.roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    });
    return [this.permission('scheduler:CreateSchedule'), { statement: passRole }];
  }

  /** Permission to call schedules off. */
  delete(): Permission {
    return this.permission('scheduler:DeleteSchedule');
  }

  private permission(action: string): Permission {
    const schedules = Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${this.group.scheduleGroupName}/*`,
    });
    return {
      statement: new PolicyStatement({ actions: [action], resources: [schedules] }),
      wildcardReason: 'Schedules are named at run time; the pattern covers the schedules of this one group.',
    };
  }
}

/**
 * EventBridge Scheduler, for schedules of this account's group alone: without the conditions anyone's
 * schedule could be given the role (Scheduler user guide, "confused deputy prevention").
 */
export function schedulerOf(scope: Construct, scheduleGroupArn: string): ServicePrincipal {
  return new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: {
      StringEquals: { 'aws:SourceAccount': Stack.of(scope).account, 'aws:SourceArn': scheduleGroupArn },
    },
  });
}
