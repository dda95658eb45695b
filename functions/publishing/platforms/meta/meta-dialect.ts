import * as v from 'valibot';
import { MINUTE_MS } from '../../../shared/clock.ts';
import type { PlatformAnswer } from '../platform-client.ts';
import { type ErrorRule, errorByStatus, type PlatformError } from '../platform-error.ts';
import type { Pause } from '../step.ts';

/** Graph API, error handling: the body of a refusal. */
const GraphError = v.object({
  error: v.object({
    message: v.optional(v.string(), ''),
    code: v.number(),
    error_subcode: v.optional(v.number()),
    error_user_msg: v.optional(v.string()),
  }),
});

/** What an answer without a body we know still says. */
const MAX_SAID = 200;

/** Subcodes from here on have one meaning under whatever code they come. */
const OWN_MEANING = 10_000;

/** The permissions' own codes (Graph API, error handling). */
const isPermission = (code: number): boolean => code >= 200 && code <= 299;

/** Reads the refusal in an answer by the platform's table, whose keys are `code/subcode`, `subcode` or `code`. */
export function graphErrorOf(
  table: Readonly<Record<string, ErrorRule>>,
): (answer: PlatformAnswer, nowMs: number) => PlatformError | undefined {
  return (answer, nowMs) => {
    const read = v.safeParse(GraphError, answer.body);
    if (!read.success) return errorByStatus(answer.status, undefined);
    const { code, error_subcode: subcode, error_user_msg, message } = read.output.error;
    const rule =
      table[`${code}/${subcode}`] ??
      (subcode !== undefined && subcode >= OWN_MEANING ? table[subcode] : undefined) ??
      (isPermission(code) ? table.permission : table[code]);
    const named = { code: subcode === undefined ? `${code}` : `${code}/${subcode}` };
    const said = (error_user_msg ?? message).slice(0, MAX_SAID);
    if (!rule) {
      const byStatus = errorByStatus(Math.max(answer.status, 400), said);
      return byStatus && { ...byStatus, ...named };
    }
    const atMs = rule.class === 'later' ? regainsAccessAt(answer, nowMs) : undefined;
    const text = rule.class === 'permanent' && said !== '' ? `${rule.text} (it said: ${said})` : rule.text;
    return { ...rule, ...named, text, ...(atMs !== undefined && { atMs }) };
  };
}

const Percent = v.optional(v.number(), 0);
const Usage = { call_count: Percent, total_cputime: Percent, total_time: Percent };
const AppUsage = v.pipe(v.string(), v.parseJson(), v.object(Usage));
const BusinessUsage = v.pipe(
  v.string(),
  v.parseJson(),
  v.record(
    v.string(),
    v.array(v.object({ ...Usage, estimated_time_to_regain_access: v.optional(v.number(), 0) })),
  ),
);

/** Above this share of a limit we rest: calls beyond it are refused, and lengthen the block. */
const REST_PERCENT = 95;
const REST_MS = 5 * MINUTE_MS;

const usedUp = (usage: { call_count: number; total_cputime: number; total_time: number }): boolean =>
  Math.max(usage.call_count, usage.total_cputime, usage.total_time) >= REST_PERCENT;

/** The rests that the usage headers of an answer ask for (Graph API, rate limiting). */
export function graphPauses({ headers }: PlatformAnswer, nowMs: number): Pause[] {
  const app = v.safeParse(AppUsage, headers['x-app-usage']);
  const uses = businessUses(headers['x-business-use-case-usage']);
  const regainMs = Math.max(0, ...uses.map((use) => use.estimated_time_to_regain_access)) * MINUTE_MS;
  const restMs = Math.max(regainMs, uses.some(usedUp) ? REST_MS : 0);
  return [
    ...(app.success && usedUp(app.output) ? [{ scope: 'app' as const, untilMs: nowMs + REST_MS }] : []),
    ...(restMs > 0 ? [{ scope: 'channel' as const, untilMs: nowMs + restMs }] : []),
  ];
}

function businessUses(header: string | string[] | undefined) {
  const read = v.safeParse(BusinessUsage, header);
  return read.success ? Object.values(read.output).flat() : [];
}

function regainsAccessAt({ headers }: PlatformAnswer, nowMs: number): number | undefined {
  const uses = businessUses(headers['x-business-use-case-usage']);
  const minutes = Math.max(0, ...uses.map((use) => use.estimated_time_to_regain_access));
  const seconds = Number(headers['retry-after'] ?? 0);
  const waitMs = Math.max(minutes * MINUTE_MS, Number.isFinite(seconds) ? seconds * 1000 : 0);
  return waitMs > 0 ? nowMs + waitMs : undefined;
}
