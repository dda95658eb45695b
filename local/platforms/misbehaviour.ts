import * as v from 'valibot';
import { strictObject } from '../../functions/shared/strict-object.ts';
import { AnswerStatus, STEP } from '../answer-script.ts';

/** How a fake platform goes wrong: a step of a script, used up by the requests it fits. */
export const Misbehaviour = strictObject({
  ...STEP,
  /** `facebook`, `instagram`, ...; all when absent. */
  platform: v.optional(v.string()),
  method: v.optional(v.string()),
  /** For the path: `media_publish$`. */
  path: v.optional(v.pipe(v.string(), v.check(isExpression, 'must be a regular expression')), ''),
  /** Whether the request has its effect before the answer goes wrong. */
  when: v.optional(v.picklist(['before', 'after']), 'before'),
  /** `answer` sends status and body; `silence` never answers; `reset` breaks off in the middle of the body. */
  act: v.optional(v.picklist(['answer', 'silence', 'reset', 'garbage', 'none']), 'answer'),
  status: v.optional(AnswerStatus, 500),
});
export type Misbehaviour = v.InferOutput<typeof Misbehaviour>;

/** The script under way. */
export interface Misbehaviours {
  /** Replaces what is left of the script before. */
  play(script: readonly Misbehaviour[]): void;
  next(platform: string, method: string, path: string): Misbehaviour | undefined;
}

/** No script: the platforms behave. */
export function misbehaviours(): Misbehaviours {
  let left: Misbehaviour[] = [];
  return {
    play: (script) => {
      left = [...script];
    },
    next(platform, method, path) {
      const index = left.findIndex(
        (each) =>
          each.times > 0 &&
          (each.platform ?? platform) === platform &&
          (each.method ?? method) === method &&
          new RegExp(each.path).test(path),
      );
      const found = left[index];
      if (found) left[index] = { ...found, times: found.times - 1 };
      return found;
    },
  };
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
