import * as v from 'valibot';
import { strictObject } from '../../functions/shared/strict-object.ts';

const Count = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(max));

const Behaviour = strictObject({
  status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  /** How many answers are given so. */
  times: v.optional(Count(1_000_000), 1),
  /** How long each of them is held back. */
  delay_ms: v.optional(Count(3_600_000), 0),
  /** Sent as it is when text, as JSON otherwise. */
  body: v.optional(v.unknown()),
  headers: v.optional(v.record(v.string(), v.string()), {}),
  /** Only deliveries to this path, `/hooks/demo`; all when absent. */
  path: v.optional(v.string()),
});

/** How the inbox answers its next deliveries. */
export type Behaviour = v.InferOutput<typeof Behaviour>;

/** A script is one behaviour, or several to be used up one after another. */
export const Script = v.pipe(
  v.union([v.array(Behaviour), Behaviour]),
  v.transform((script) => (Array.isArray(script) ? script : [script])),
);

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
