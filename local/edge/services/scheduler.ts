import type { IncomingMessage } from 'node:http';
import type { ServiceModel } from '../../service-model.ts';
import { AwsError, unknownOperation } from '../aws-error.ts';
import type { Answer, EdgeCall, EdgeService, Need } from '../call.ts';
import { type Json, objectOf, textOf } from '../json.ts';
import { assertName, parseDefinition } from '../scheduler/definition.ts';
import type { Schedule } from '../scheduler/schedule-store.ts';
import { existing, type Scheduler } from '../scheduler/start-scheduler.ts';
import { jsonAnswer } from './json-protocol.ts';

const CONTENT_TYPE = 'application/json';

/** The REST operations by method and path. */
const OPERATIONS: readonly (readonly [string, RegExp, string])[] = [
  ['POST', /^\/schedules\/[^/]+$/, 'CreateSchedule'],
  ['GET', /^\/schedules\/[^/]+$/, 'GetSchedule'],
  ['PUT', /^\/schedules\/[^/]+$/, 'UpdateSchedule'],
  ['DELETE', /^\/schedules\/[^/]+$/, 'DeleteSchedule'],
  ['GET', /^\/schedules\/?$/, 'ListSchedules'],
];

/** EventBridge Scheduler's REST API for one-time schedules onto queues. */
export function scheduler(model: ServiceModel, schedules: Scheduler): EdgeService {
  const groups = new Set(['default', ...model.scheduleGroups.map(({ name }) => name)]);
  const arnOf = (group: string, name: string) =>
    `arn:aws:scheduler:${model.region}:${model.accountId}:schedule/${group}/${name}`;
  const { store } = schedules;

  const perform: Readonly<Record<string, (call: EdgeCall) => Json>> = {
    CreateSchedule: ({ path, input }) => {
      const name = nameOf(path);
      const definition = parseDefinition(input);
      assertGroup(groups, definition.GroupName);
      const known = store.find(definition.GroupName, name);
      // The same call sent again, by its token, is answered like the first.
      if (
        known !== undefined &&
        (definition.ClientToken === '' || known.clientToken !== definition.ClientToken)
      ) {
        throw new AwsError('ConflictException', `Schedule ${name} already exists.`, 409);
      }
      if (known === undefined) schedules.arrange(name, definition);
      return { ScheduleArn: arnOf(definition.GroupName, name) };
    },
    UpdateSchedule: ({ path, input }) => {
      const name = nameOf(path);
      const definition = parseDefinition(input);
      existing(store, definition.GroupName, name);
      schedules.arrange(name, definition);
      return { ScheduleArn: arnOf(definition.GroupName, name) };
    },
    GetSchedule: (call) => {
      const schedule = existing(store, groupOf(call), nameOf(call.path));
      return { ...summary(schedule, arnOf), ...objectOf(JSON.parse(schedule.definition)) };
    },
    DeleteSchedule: (call) => {
      const { group, name } = existing(store, groupOf(call), nameOf(call.path));
      store.delete(group, name);
      return {};
    },
    ListSchedules: ({ query }) => ({
      Schedules: store
        .list(query.get('ScheduleGroup') ?? undefined, query.get('NamePrefix') ?? '')
        .map((schedule) => summary(schedule, arnOf)),
    }),
  };

  return {
    streams: false,
    throttled: { code: 'ThrottlingException', status: 429 },
    broken: { code: 'InternalServerException', status: 500 },
    operation: operationOf,
    refusal: ({ code, message, status }): Answer => {
      const answer = jsonAnswer({ Message: message }, CONTENT_TYPE, status);
      return { ...answer, headers: { ...answer.headers, 'x-amzn-errortype': code } };
    },
    needs: (call) => {
      const { operation, path, input } = call;
      const resource = operation === 'ListSchedules' ? '*' : arnOf(groupOf(call), nameOf(path));
      return [{ action: `scheduler:${operation}`, resource }, ...passedRole(input)];
    },
    perform: async (call) => jsonAnswer(perform[call.operation]?.(call), CONTENT_TYPE),
  };
}

function operationOf(request: IncomingMessage, path: string): string {
  const found = OPERATIONS.find(([method, pattern]) => method === request.method && pattern.test(path));
  if (found === undefined) throw unknownOperation('scheduler', `${request.method} ${path}`);
  return found[2];
}

/** Whoever gives a schedule a role must be allowed to hand that role to the scheduler. */
function passedRole({ Target }: Json): readonly Need[] {
  if (Target === undefined) return [];
  const context = { 'iam:PassedToService': ['scheduler.amazonaws.com'] };
  return [{ action: 'iam:PassRole', resource: textOf(objectOf(Target).RoleArn), context }];
}

function nameOf(path: string): string {
  const name = decodeURIComponent(path.slice('/schedules/'.length));
  assertName(name);
  return name;
}

function groupOf({ query, input }: EdgeCall): string {
  return query.get('groupName') ?? (textOf(input.GroupName) || 'default');
}

function assertGroup(groups: ReadonlySet<string>, group: string): void {
  if (!groups.has(group))
    throw new AwsError('ResourceNotFoundException', `Schedule group ${group} does not exist.`, 404);
}

function summary(schedule: Schedule, arnOf: (group: string, name: string) => string): Json {
  return {
    Arn: arnOf(schedule.group, schedule.name),
    Name: schedule.name,
    GroupName: schedule.group,
    State: 'ENABLED',
    CreationDate: schedule.createdAt / 1000,
    LastModificationDate: schedule.modifiedAt / 1000,
  };
}
