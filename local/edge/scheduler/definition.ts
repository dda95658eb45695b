import * as v from 'valibot';
import { AwsError } from '../aws-error.ts';

const Arn = v.pipe(v.string(), v.regex(/^arn:aws[a-z-]*:/));

/** A one-time schedule, as far as our code may use it; anything else is refused rather than ignored. */
const Definition = v.strictObject({
  GroupName: v.optional(v.string(), 'default'),
  ClientToken: v.optional(v.pipe(v.string(), v.regex(/^[a-zA-Z0-9-_]{1,64}$/)), ''),
  Description: v.optional(v.pipe(v.string(), v.maxLength(512))),
  State: v.optional(v.literal('ENABLED')),
  ActionAfterCompletion: v.optional(v.picklist(['NONE', 'DELETE']), 'NONE'),
  FlexibleTimeWindow: v.strictObject({ Mode: v.literal('OFF') }),
  ScheduleExpression: v.string(),
  ScheduleExpressionTimezone: v.optional(v.literal('UTC')),
  Target: v.strictObject({
    Arn,
    RoleArn: Arn,
    Input: v.optional(v.pipe(v.string(), v.nonEmpty()), '{}'),
    RetryPolicy: v.optional(
      v.strictObject({
        MaximumEventAgeInSeconds: v.optional(v.pipe(v.number(), v.minValue(60), v.maxValue(86_400))),
        MaximumRetryAttempts: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(185))),
      }),
    ),
    DeadLetterConfig: v.optional(v.strictObject({ Arn })),
  }),
});
/** A checked body of CreateSchedule or UpdateSchedule. */
export type Definition = v.InferOutput<typeof Definition>;

const NAME = /^[0-9a-zA-Z-_.]{1,64}$/;
const AT = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/;

/** @throws {AwsError} ValidationException, with the path of what is wrong */
export function parseDefinition(input: unknown): Definition {
  const parsed = v.safeParse(Definition, input);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw invalid(`${v.getDotPath(issue) ?? 'the body'}: ${issue.message}`);
}

/** @throws {AwsError} ValidationException when it is no schedule's name */
export function assertName(name: string): void {
  if (!NAME.test(name))
    throw invalid(`Value '${name}' at 'name' must match ^[0-9a-zA-Z-_.]+$ and have 1 to 64 characters`);
}

/** The time of an `at(...)` in UTC. @throws {AwsError} ValidationException on anything else, and on the past */
export function timeOf(expression: string, nowMs: number): number {
  const written = AT.exec(expression)?.[1] ?? '';
  const timeMs = Date.parse(`${written}Z`);
  // Date.parse turns 30 February into 2 March; a real date comes back as it was written.
  if (Number.isNaN(timeMs) || new Date(timeMs).toISOString().slice(0, 19) !== written) {
    throw invalid(`Invalid Schedule Expression ${expression}.`);
  }
  if (timeMs <= nowMs) throw invalid(`Invalid Schedule Expression ${expression}: the time is in the past.`);
  return timeMs;
}

function invalid(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
