import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Edge } from '../../../local/edge/start-edge.ts';
import { ARNS, edgeModel, without } from './edge-model.ts';
import { clients, stateDirectory, testEdge } from './edge-under-test.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const DUE = Date.parse('2026-11-21T10:05:00Z');
const habits = { duplicates: 0 };
let directory: ReturnType<typeof stateDirectory>;
let clock = NOW;
let edge: Edge;

const start = (options = {}) =>
  testEdge({ stateDirectory: directory.path, now: () => clock, scheduler: habits, ...options });
const schedule = (Name: string, change = {}) => ({
  Name,
  GroupName: 'Schedules',
  ScheduleExpression: 'at(2026-11-21T10:05:00)',
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  ActionAfterCompletion: 'DELETE' as const,
  Target: { Arn: ARNS.dueQueue, RoleArn: ARNS.schedulerRole, Input: `{"post":"${Name}"}` },
  ...change,
});
const create = (Name: string, change = {}, on = edge) =>
  clients(on, 'CreatePost').scheduler.send(new CreateScheduleCommand(schedule(Name, change)));
const get = (Name: string) =>
  clients(edge, 'CreatePost').scheduler.send(new GetScheduleCommand({ Name, GroupName: 'Schedules' }));
const delivered = async (on = edge) => {
  const input = { QueueUrl: edgeModel().queues[0]?.url, MaxNumberOfMessages: 10 };
  const { Messages = [] } = await clients(on, 'operator').sqs.send(new ReceiveMessageCommand(input));
  return Messages.map(({ Body }) => Body);
};

beforeEach(async () => {
  clock = NOW;
  directory = stateDirectory();
  edge = await start();
});
afterEach(async () => {
  await edge.stop();
  directory.remove();
});

it('fires each schedule once within its minute, never early, and deletes it', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `post-${index}`);
  for (const name of names) await create(name);

  clock = DUE - 1;
  expect(edge.fireDueSchedules()).toBe(0);
  clock = DUE + 30_000;
  const early = edge.fireDueSchedules();
  clock = DUE + 60_000;
  const late = edge.fireDueSchedules();

  expect(early).toBeGreaterThan(0);
  expect(late).toBe(20 - early);
  expect(await delivered()).toHaveLength(10);
  await expect(get('post-0')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

it('fires what fell due while it was away', async () => {
  await create('post-1');
  await edge.stop();
  clock = DUE + 3_600_000;

  edge = await start();
  edge.fireDueSchedules();

  expect(await delivered()).toEqual(['{"post":"post-1"}']);
});

it('may fire twice', async () => {
  const twice = await start({ scheduler: { duplicates: 1 } });
  await create('post-1', {}, twice);
  clock = DUE + 60_000;

  twice.fireDueSchedules();

  expect(await delivered(twice)).toHaveLength(2);
  await twice.stop();
});

it('refuses a second schedule of the name, but answers the same call again', async () => {
  await create('post-1', { ClientToken: 'first' });

  await expect(create('post-1', { ClientToken: 'first' })).resolves.toMatchObject({
    ScheduleArn: expect.stringContaining('schedule/Schedules/post-1'),
  });
  await expect(create('post-1', { ClientToken: 'second' })).rejects.toMatchObject({
    name: 'ConflictException',
  });
});

it('moves and deletes a schedule', async () => {
  const { scheduler } = clients(edge, 'operator');
  await create('post-1');
  const moved = schedule('post-1', { ScheduleExpression: 'at(2026-11-21T11:00:00)' });
  await scheduler.send(new UpdateScheduleCommand(moved));
  clock = DUE + 60_000;
  expect(edge.fireDueSchedules()).toBe(0);
  expect(await get('post-1')).toMatchObject({
    ScheduleExpression: 'at(2026-11-21T11:00:00)',
    Name: 'post-1',
  });

  await scheduler.send(new DeleteScheduleCommand({ Name: 'post-1', GroupName: 'Schedules' }));

  clock += 7_200_000;
  expect(edge.fireDueSchedules()).toBe(0);
  const again = scheduler.send(new DeleteScheduleCommand({ Name: 'post-1', GroupName: 'Schedules' }));
  await expect(again).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

it.each([
  ['a day that does not exist', { ScheduleExpression: 'at(2027-02-30T10:00:00)' }],
  ['a time with a zone', { ScheduleExpression: 'at(2027-02-20T10:00:00Z)' }],
  ['the past', { ScheduleExpression: 'at(2026-11-21T09:59:59)' }],
  ['a name too long', { Name: 'x'.repeat(65) }],
  ['what it would have to ignore', { EndDate: new Date(DUE) }],
])('refuses %s', async (_, change) => {
  await expect(create('post-1', change)).rejects.toMatchObject({ name: 'ValidationException' });
});

it('refuses a group that does not exist', async () => {
  const { scheduler } = clients(edge, 'operator');
  const elsewhere = scheduler.send(new CreateScheduleCommand(schedule('post-1', { GroupName: 'Nowhere' })));

  await expect(elsewhere).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

it('needs the right to pass the role to the scheduler', async () => {
  const narrow = await start({ model: edgeModel(without('iam:PassRole')) });

  await expect(create('post-1', {}, narrow)).rejects.toThrow(
    `iam:PassRole on resource: ${ARNS.schedulerRole}`,
  );

  await narrow.stop();
});

it('keeps a schedule whose role may not send to its target', async () => {
  const Target = { Arn: ARNS.deadQueue, RoleArn: ARNS.schedulerRole, Input: '{}' };
  await create('post-1', { Target });
  const complaint = vi.spyOn(console, 'error').mockReturnValueOnce();
  clock = DUE + 60_000;

  edge.fireDueSchedules();

  expect(complaint.mock.calls.join()).toContain('may not sqs:SendMessage');
  await expect(get('post-1')).resolves.toMatchObject({ Name: 'post-1' });
});
