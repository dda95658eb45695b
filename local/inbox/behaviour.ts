import * as v from 'valibot';
import { strictObject } from '../../functions/shared/strict-object.ts';
import { AnswerStatus, STEP } from '../answer-script.ts';

/** How the inbox answers its next deliveries: a step of a script. */
export const Behaviour = strictObject({
  ...STEP,
  status: AnswerStatus,
  /** Only deliveries to this path, `/hooks/demo`; all when absent. */
  path: v.optional(v.string()),
});
export type Behaviour = v.InferOutput<typeof Behaviour>;

/** The script under way. */
export interface ScriptedAnswers {
  /** Replaces what is left of the script before. */
  play(script: readonly Behaviour[]): void;
  /** What the script has for a delivery to this path, if anything is left. */
  next(path: string): Behaviour | undefined;
}

/** No script: the inbox accepts everything. */
export function scriptedAnswers(): ScriptedAnswers {
  let left: Behaviour[] = [];
  return {
    play: (script) => {
      left = [...script];
    },
    next: (path) => {
      left = left.filter(({ times }) => times > 0);
      const index = left.findIndex((each) => each.path === undefined || each.path === path);
      const found = left[index];
      if (found) left[index] = { ...found, times: found.times - 1 };
      return found;
    },
  };
}
