/**
 * How a target gets from due to its end. What goes out goes out once: `send` alone is irreversible, it is
 * entered only with its handle stored, and it is left towards `verify`, never back to `prepare`.
 */
export const STAGES = ['prepare', 'send', 'verify'] as const;
export type Stage = (typeof STAGES)[number];

/** Where a step of a target may lead, as recorded in its attempts. */
export type StepResult =
  | 'ready'
  | 'posted'
  | 'refused'
  | 'retry'
  | 'ambiguous'
  | 'processing'
  | 'absent'
  | 'unknown'
  | 'interrupted'
  | 'skipped';

/** The end of a target, or the stage its next step is in. */
export type NextState = Stage | 'posted' | 'failed' | 'skipped';

/**
 * The machine as data: from a stage, by what a step came to, to the next state. `interrupted` is what the
 * next worker finds when a lease ran out with no outcome. docs/architecture.md draws this table.
 */
export const TRANSITIONS = {
  prepare: {
    ready: 'send',
    retry: 'prepare',
    refused: 'failed',
    skipped: 'skipped',
    interrupted: 'prepare',
  },
  send: {
    posted: 'posted',
    refused: 'failed',
    retry: 'send',
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
} as const satisfies Record<Stage, Partial<Record<StepResult, NextState>>>;

/** How often in a row a target may be taken up without any outcome before it is given up as ours to mend. */
export const MAX_INTERRUPTIONS = 5;
