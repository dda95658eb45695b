import * as v from 'valibot';
import { isoAt, SECOND_MS } from '../shared/clock.ts';
import { dueAt } from '../shared/table/indexes.ts';
import { keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { MediaRow } from './media.ts';
import type { ProcessMessage } from './media-messages.ts';

/** A file a worker holds: `tries` counts how often in a row it was taken up without an outcome. */
const ClaimedMedia = v.object({ ...MediaRow.entries, tries: v.number() });
export type ClaimedMedia = v.InferOutput<typeof ClaimedMedia>;

/** After a lease has run out this long, the sweeper may take the file to be abandoned. */
const LEASE_GRACE_MS = 5 * SECOND_MS;

/** What a step of a file comes to; `wakeAtMs` is when the next one must have begun, nothing if there is none. */
export interface StepEnd {
  readonly changes: Readonly<Partial<MediaRow>>;
  readonly wakeAtMs?: number;
}

/** What there is to do with a file, and the state in which it is to be done. */
const STEPS = {
  fetch: { condition: '#status = :arriving', values: { ':arriving': 'arriving' }, set: {} },
  process: {
    condition: '#status = :ready AND thumbnail_status IN (:pending, :processing)',
    values: { ':ready': 'ready', ':pending': 'pending', ':processing': 'processing' },
    set: { thumbnail_status: 'processing' },
  },
} as const;

/** The steps of a file between its creation and its end; of any number of workers, one holds it. */
export interface MediaWork {
  /** Undefined if there is nothing to do, or another worker is at it. */
  claim(
    message: ProcessMessage,
    terms: { step: keyof typeof STEPS; nowMs: number; leaseMs: number },
  ): Promise<ClaimedMedia | undefined>;
  /** Writes what came of a step; false if the fence is lost. */
  end(media: ClaimedMedia, end: StepEnd): Promise<boolean>;
}

/** Media work over the table. */
export function mediaWork(table: ServiceTable): MediaWork {
  return {
    async claim({ workspace_id, media_id }, { step, nowMs, leaseMs }) {
      const { condition, values, set } = STEPS[step];
      const due = dueAt(media_id, isoAt(nowMs + leaseMs + LEASE_GRACE_MS));
      const updated = await table.update({
        Key: keys.media(workspace_id, media_id),
        UpdateExpression: [
          'SET fence = fence + :one, tries = if_not_exists(tries, :none) + :one, lease_until = :lease',
          'due_shard = :shard, wake_at = :wake',
          ...Object.keys(set).map((name) => `${name} = :processing`),
        ].join(', '),
        ConditionExpression: `${condition} AND (attribute_not_exists(lease_until) OR lease_until <= :now)`,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ...values,
          ':none': 0,
          ':one': 1,
          ':now': isoAt(nowMs),
          ':lease': isoAt(nowMs + leaseMs),
          ':shard': due.due_shard,
          ':wake': due.wake_at,
        },
      });
      return updated.outcome === 'updated' ? v.parse(ClaimedMedia, updated.row) : undefined;
    },

    async end({ workspace_id, id, fence }, { changes, wakeAtMs }) {
      const due = wakeAtMs === undefined ? {} : dueAt(id, isoAt(wakeAtMs));
      const set = Object.entries({ ...changes, ...due });
      const updated = await table.update({
        Key: keys.media(workspace_id, id),
        UpdateExpression: [
          `SET ${set.map((_, index) => `#set${index} = :set${index}`).join(', ')}`,
          `REMOVE lease_until, tries, overdue_since${wakeAtMs === undefined ? ', due_shard, wake_at' : ''}`,
        ].join(' '),
        ConditionExpression: 'fence = :fence',
        ExpressionAttributeNames: Object.fromEntries(set.map(([name], index) => [`#set${index}`, name])),
        ExpressionAttributeValues: {
          ':fence': fence,
          ...Object.fromEntries(set.map(([, value], index) => [`:set${index}`, value])),
        },
      });
      return updated.outcome === 'updated';
    },
  };
}
