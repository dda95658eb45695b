import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventBridgeScheduler } from '../../functions/shared/scheduler.ts';

const eventBridge = mockClient(SchedulerClient);
const scheduler = eventBridgeScheduler(new SchedulerClient({ region: 'eu-central-1' }), {
  groupName: 'posts',
  queueArn: 'arn:queue',
  roleArn: 'arn:role',
});
beforeEach(() => eventBridge.reset());

const schedule = {
  name: 'post-1-2',
  atMs: Date.parse('2026-05-01T09:00:00.999+02:00'),
  message: { post_id: 'post-1' },
};
const said = { Message: 'said', $metadata: {}, message: 'said' };

describe('schedule', () => {
  it('sends one message at a second of UTC, never later than asked, and leaves nothing behind', async () => {
    eventBridge.on(CreateScheduleCommand).resolves({});

    await scheduler.schedule(schedule);

    expect(eventBridge.commandCalls(CreateScheduleCommand)[0]?.args[0].input).toMatchObject({
      Name: 'post-1-2',
      GroupName: 'posts',
      ScheduleExpression: 'at(2026-05-01T07:00:00)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: { Arn: 'arn:queue', RoleArn: 'arn:role', Input: '{"post_id":"post-1"}' },
    });
  });

  it('is content with a schedule that is there already', async () => {
    eventBridge.on(CreateScheduleCommand).rejects(new ConflictException(said));

    await expect(scheduler.schedule(schedule)).resolves.toBeUndefined();
  });

  it('lets other failures through', async () => {
    eventBridge.on(CreateScheduleCommand).rejects(new ResourceNotFoundException(said));

    await expect(scheduler.schedule(schedule)).rejects.toThrow(ResourceNotFoundException);
  });
});

describe('cancel', () => {
  it('deletes the schedule of that name', async () => {
    eventBridge.on(DeleteScheduleCommand).resolves({});

    await scheduler.cancel('post-1-2');

    expect(eventBridge.commandCalls(DeleteScheduleCommand)[0]?.args[0].input).toMatchObject({
      Name: 'post-1-2',
      GroupName: 'posts',
    });
  });

  it('is content when it has fired already', async () => {
    eventBridge.on(DeleteScheduleCommand).rejects(new ResourceNotFoundException(said));

    await expect(scheduler.cancel('post-1-2')).resolves.toBeUndefined();
  });

  it('lets other failures through', async () => {
    eventBridge.on(DeleteScheduleCommand).rejects(new ConflictException(said));

    await expect(scheduler.cancel('post-1-2')).rejects.toThrow(ConflictException);
  });
});
