import * as v from 'valibot';

/** How the stand-in misbehaves on a matching call. A field left out matches all. */
export const ModelRule = v.strictObject({
  /** `skip` leaves platforms out, `overlong` goes over their limits, `garbage` answers with no JSON. */
  reply: v.picklist(['skip', 'overlong', 'garbage']),
  /** The platforms it does so for. @default all */
  platforms: v.optional(v.array(v.string())),
  /** Only for captions with this text, so that tests on one service do not meet. */
  caption_includes: v.optional(v.string(), ''),
  /** At most so many calls. */
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});
/** A rule as a test states it. */
export type ModelRule = v.InferInput<typeof ModelRule>;

/** What the stand-in does instead of its best. Throttling and slowness are faults, as for every service. */
export interface ModelScript {
  /** Adds rules; earlier ones come first. @throws {v.ValiError} when one makes no sense */
  add(rules: readonly ModelRule[]): void;
  clear(): void;
  /** The rules with how many calls each hit. */
  list(): readonly (v.InferOutput<typeof ModelRule> & { readonly hits: number })[];
  /** The first rule for a call with this caption, if any; counts the hit. */
  next(caption: string): v.InferOutput<typeof ModelRule> | undefined;
}

/** A script, empty at first. */
export function modelScript(): ModelScript {
  const rules: { rule: v.InferOutput<typeof ModelRule>; hits: number }[] = [];
  return {
    add: (given) => {
      rules.push(...v.parse(v.array(ModelRule), given).map((rule) => ({ rule, hits: 0 })));
    },
    clear: () => rules.splice(0),
    list: () => rules.map(({ rule, hits }) => ({ ...rule, hits })),
    next: (caption) => {
      const entry = rules.find(
        ({ rule, hits }) =>
          caption.includes(rule.caption_includes) && hits < (rule.times ?? Number.POSITIVE_INFINITY),
      );
      if (entry) entry.hits += 1;
      return entry?.rule;
    },
  };
}
