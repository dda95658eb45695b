/**
 * How a target gets from due to its end. What goes out goes out once: `send` alone is irreversible. A row
 * says `send` from the moment a send begins until its outcome is written down, and at no other time; left
 * without an outcome, it leads to `verify`, never back to `prepare`.
 */
export const STAGES = ['prepare', 'send', 'verify'] as const;
export type Stage = (typeof STAGES)[number];

/** Where a step of a target may lead, as recorded in its attempts; but for `waiting`, which is none. */
export type StepResult =
  | 'ready'
  | 'posted'
  | 'refused'
  | 'retry'
  | 'waiting'
  | 'ambiguous'
  | 'processing'
  | 'absent'
  | 'unknown'
  | 'interrupted'
  | 'skipped';

/** The ends of a target. */
export const ENDS = ['posted', 'failed', 'skipped'] as const;
export type End = (typeof ENDS)[number];

/** The end of a target, or the stage its next step is in. */
export type NextState = Stage | End;

/**
 * The machine as data: from a stage, by what a step came to, to the next state. `interrupted` is a step that
 * broke off: its worker died, or a part of ours failed under it. docs/architecture.md draws this table.
 */
export const TRANSITIONS = {
  prepare: {
    ready: 'send',
    retry: 'prepare',
    waiting: 'prepare',
    refused: 'failed',
    skipped: 'skipped',
    interrupted: 'prepare',
  },
  send: {
    posted: 'posted',
    refused: 'failed',
    retry: 'prepare',
    ambiguous: 'verify',
    interrupted: 'verify',
  },
  verify: {
    posted: 'posted',
    processing: 'verify',
    absent: 'send',
    retry: 'verify',
    refused: 'failed',
    unknown: 'failed',
    interrupted: 'verify',
  },
} as const satisfies Record<Stage, { interrupted: Stage } & Partial<Record<StepResult, NextState>>>;

/** @throws {Error} for an outcome that has no place in the stage: a publisher broke its contract. */
export function nextState(stage: Stage, result: StepResult): NextState {
  const table: Partial<Record<StepResult, NextState>> = TRANSITIONS[stage];
  const next = table[result];
  if (!next) throw new Error(`the outcome ${result} has no place in the stage ${stage}`);
  return next;
}

export const isEnd = (state: NextState): state is End => ENDS.some((end) => end === state);

/** How often in a row a target may be taken up without any outcome before it is given up as ours to mend. */
export const MAX_INTERRUPTIONS = 12;

/** What may follow a post that is out. None of it is the post: whatever becomes of it, the post stays posted. */
export const FOLLOW_UP_KINDS = ['story', 'permalink', 'thumbnail'] as const;
export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number];

export const FOLLOW_UP_STAGES = ['prepare', 'send'] as const;
export type FollowUpStage = (typeof FOLLOW_UP_STAGES)[number];

/**
 * The machine of a follow-up. Nobody verifies one, so its send is begun once: left without an outcome, it is
 * dropped rather than made twice.
 */
export const FOLLOW_UP_TRANSITIONS = {
  prepare: { ready: 'send', done: 'done', retry: 'prepare', refused: 'dropped', interrupted: 'prepare' },
  send: { done: 'done', retry: 'prepare', refused: 'dropped', interrupted: 'dropped' },
} as const satisfies Record<FollowUpStage, Record<string, FollowUpStage | 'done' | 'dropped'>>;
