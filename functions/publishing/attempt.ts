import * as v from 'valibot';
import type { Write } from '../shared/table/effect.ts';
import { keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { FOLLOW_UP_KINDS, type FollowUpKind, STAGES, type Stage, type StepResult } from './stages.ts';
import type { PublishingTarget } from './target.ts';

/** What one step of publishing a target came to; append only. */
export const Attempt = v.object({
  channel_id: v.pipe(v.string(), v.uuid()),
  n: v.pipe(
    v.number(),
    v.integer(),
    v.description(
      'Rises with the steps of this channel, from 1; steps that were cut off, and waits for media, leave gaps.',
    ),
  ),
  at: v.pipe(v.string(), v.isoTimestamp()),
  stage: v.pipe(
    v.picklist([...STAGES, ...FOLLOW_UP_KINDS]),
    v.description(
      'prepare is repeatable, send is not, verify looks for what a send did; story, permalink and thumbnail follow a post that is out and never change its status.',
    ),
  ),
  result: v.string(),
  code: v.pipe(v.nullable(v.string()), v.description("The platform's or the network's own word for it.")),
  message: v.nullable(v.string()),
  next_attempt_at: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
});
export type Attempt = v.InferOutput<typeof Attempt>;

/** What is known of a step when it is written down. */
export interface StepRecord {
  readonly at: string;
  readonly stage: Stage | FollowUpKind;
  readonly result: StepResult | 'done';
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly nextAttemptAt?: string | undefined;
}

/** The write of an attempt's row. Named by the fence of the worker that made it, so no two share a row. */
export function putAttempt(target: PublishingTarget, step: StepRecord): Write {
  const { workspace_id, post_id, channel_id, fence } = target;
  const attempt: Attempt = {
    channel_id,
    n: fence,
    at: step.at,
    stage: step.stage,
    result: step.result,
    code: step.code ?? null,
    message: step.message ?? null,
    next_attempt_at: step.nextAttemptAt ?? null,
  };
  return {
    Put: { Item: { ...keys.attempt(workspace_id, post_id, channel_id, fence), post_id, ...attempt } },
  };
}

/**
 * Records that the worker before this one vanished without an outcome. If it comes back with one after all,
 * its own record takes this one's place.
 *
 * @returns whether that was not on record yet.
 */
export async function recordInterruption(
  table: ServiceTable,
  target: PublishingTarget,
  now: string,
): Promise<boolean> {
  const before = { ...target, fence: target.fence - 1 };
  const { Put } = putAttempt(before, {
    at: now,
    stage: target.stage,
    result: 'interrupted',
    message: 'the step was cut off; it is taken up again',
  });
  if (!Put) return false;
  const write = { Put: { ...Put, ConditionExpression: 'attribute_not_exists(pk)' } };
  return (await table.commit([write])).outcome === 'committed';
}
