import * as v from 'valibot';
import { strictObject } from '../../functions/shared/strict-object.ts';

const Count = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(max));

const Misbehaviour = strictObject({
  /** `facebook`, `instagram`, ...; all when absent. */
  platform: v.optional(v.string()),
  method: v.optional(v.string()),
  /** A regular expression for the path: `media_publish$`. */
  path: v.optional(v.string(), ''),
  times: v.optional(Count(1_000_000), 1),
  /** Whether the request has its effect before the answer goes wrong. */
  when: v.optional(v.picklist(['before', 'after']), 'before'),
  /** `answer` sends status and body; `silence` never answers; `reset` breaks off in the middle of the body. */
  act: v.optional(v.picklist(['answer', 'silence', 'reset', 'garbage', 'none']), 'answer'),
  status: v.optional(Count(599), 500),
  headers: v.optional(v.record(v.string(), v.string()), {}),
  body: v.optional(v.unknown()),
  /** Held back by so much first. */
  delay_ms: v.optional(Count(3_600_000), 0),
});

/** How a fake platform goes wrong. */
export type Misbehaviour = v.InferOutput<typeof Misbehaviour>;

/** A script is one misbehaviour, or several; each is used up by the requests it fits. */
export const Script = v.pipe(
  v.union([v.array(Misbehaviour), Misbehaviour]),
  v.transform((script) => (Array.isArray(script) ? script : [script])),
);

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
