import * as v from 'valibot';

const WHOLE = 'must be a whole number, 0 or more';
const Count = v.pipe(v.number(), v.safeInteger(WHOLE), v.minValue(0, WHOLE));

/** What a plan allows; data of the workspace, set by the operator. */
export const Limits = v.object({
  /** Posts scheduled or published a UTC day. */
  posts_per_day: Count,
  /** Posts waiting for their time. */
  pending_schedules: Count,
  /** Requests a minute of each API key, unless the key has its own limit. */
  requests_per_minute: v.pipe(Count, v.minValue(1, 'must be at least 1')),
  /** Bytes of one media file. */
  max_file_bytes: Count,
  /** Cents a month for texts written by a model. */
  ai_budget_cents: Count,
});
export type Limits = v.InferOutput<typeof Limits>;

/** What a new workspace may do until an operator sets its plan. */
export const DEFAULT_LIMITS: Limits = {
  posts_per_day: 30,
  pending_schedules: 100,
  requests_per_minute: 50,
  max_file_bytes: 500 * 1024 * 1024,
  ai_budget_cents: 500,
};

/** The row of a workspace. */
export const WorkspaceRow = v.object({
  id: v.string(),
  name: v.string(),
  plan: v.string(),
  limits: Limits,
  created_at: v.string(),
  /** Seals the cursors of its lists: 32 random bytes in base64url. */
  cursor_key: v.string(),
  /** How late a post may still go out; later it fails instead of going out stale. */
  late_publishing_hours: v.optional(v.number(), 6),
});
export type WorkspaceRow = v.InferOutput<typeof WorkspaceRow>;

/** What is used of the limits now. */
const UsageNow = v.object({
  posts_today: v.pipe(v.number(), v.description('Posts scheduled or published since the last midnight UTC.')),
  pending_schedules: v.pipe(v.number(), v.description('Posts waiting for their time.')),
  ai_spent_micro_dollars: v.pipe(
    v.number(),
    v.description('Millionths of a dollar spent on texts written by a model since the month began (UTC).'),
  ),
});

/** A workspace as clients see it. */
export const Workspace = v.object({
  id: v.pipe(v.string(), v.uuid()),
  name: v.string(),
  plan: v.string(),
  limits: Limits,
  usage: UsageNow,
  created_at: v.pipe(v.string(), v.isoTimestamp()),
});
export type Workspace = v.InferOutput<typeof Workspace>;

/** Shows a workspace with what it has used. */
export const showWorkspace = (
  { id, name, plan, limits, created_at }: WorkspaceRow,
  usage: Workspace['usage'],
): Workspace => ({ id, name, plan, limits, usage, created_at });
