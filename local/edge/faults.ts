import * as v from 'valibot';
import type { EdgeCall } from './call.ts';
import { type Random, seededRandom } from './seeded-random.ts';

/** A rule that makes matching calls fail. A field left out matches all. */
export const FaultRule = v.strictObject({
  /** A function's name or logical id, or `operator`. */
  principal: v.optional(v.string()),
  service: v.optional(v.picklist(['dynamodb', 'sqs', 's3', 'scheduler', 'kms', 'bedrock'])),
  operation: v.optional(v.string()),
  /** Only the nth matching call, from 1. */
  nth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** At most so many hits. */
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** Hits a matching call with this chance. */
  probability: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  /** Where the rule's chance starts; the same seed hits the same calls. */
  seed: v.optional(v.pipe(v.number(), v.integer()), 1),
  /**
   * `fail-before`: the connection breaks before anything is done; `lose-reply`: after it is done;
   * `crash-before` and `crash-after` also end the caller; `delay` waits and goes on.
   */
  fault: v.picklist([
    'throttle',
    'conflict',
    'fail-before',
    'lose-reply',
    'delay',
    'crash-before',
    'crash-after',
    'error-5xx',
  ]),
  delay_ms: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
});
/** A rule as a test states it. */
export type FaultRule = v.InferInput<typeof FaultRule>;
/** A rule with its defaults filled in. */
export type SetFaultRule = v.InferOutput<typeof FaultRule>;

/** What is done to a call, with the chance left to shape it. */
export interface Fault {
  readonly rule: SetFaultRule;
  readonly random: Random;
}

/** The rules in force. */
export interface Faults {
  /** Replaces all rules. @throws {v.ValiError} when one makes no sense */
  set(rules: readonly FaultRule[]): void;
  clear(): void;
  /** The rules with how many calls each matched and hit. */
  list(): readonly (SetFaultRule & { readonly matched: number; readonly hits: number })[];
  /** The first rule that hits this call, if any; counts the match. */
  next(call: Pick<EdgeCall, 'principal' | 'service' | 'operation'>): Fault | undefined;
}

/** A conflict can only befall what takes part in transactions; on reads of single items there is none. */
const CONFLICTING = ['TransactWriteItems', 'TransactGetItems', 'PutItem', 'UpdateItem', 'DeleteItem'];

/** Fault rules, empty at first. */
export function faultRules(): Faults {
  let rules: { rule: SetFaultRule; random: Random; matched: number; hits: number }[] = [];

  return {
    set(given) {
      rules = v.parse(v.array(FaultRule), given).map((rule) => ({
        rule,
        random: seededRandom(rule.seed),
        matched: 0,
        hits: 0,
      }));
    },
    clear() {
      rules = [];
    },
    list: () => rules.map(({ rule, matched, hits }) => ({ ...rule, matched, hits })),
    next(call) {
      for (const entry of rules) {
        if (!concerns(entry.rule, call)) continue;
        entry.matched += 1;
        const { nth, times = Number.POSITIVE_INFINITY, probability = 1 } = entry.rule;
        // Drawn for every match, so that a hit depends on the call's place in the run and on nothing else.
        const drawn = entry.random() < probability;
        if (!drawn || entry.hits >= times || (nth !== undefined && nth !== entry.matched)) continue;
        entry.hits += 1;
        return entry;
      }
      return undefined;
    },
  };
}

function concerns(
  rule: SetFaultRule,
  { principal, service, operation }: Parameters<Faults['next']>[0],
): boolean {
  return (
    (rule.principal === undefined || rule.principal === principal.name || rule.principal === principal.id) &&
    (rule.service === undefined || rule.service === service) &&
    (rule.operation === undefined || rule.operation === operation) &&
    (rule.fault !== 'conflict' || (service === 'dynamodb' && CONFLICTING.includes(operation)))
  );
}
