import type { Platform } from '../channels/platform.ts';
import { MESSAGE_GRACE_MS } from '../posts/due.ts';
import { type Clock, isoAt, SECOND_MS } from '../shared/clock.ts';
import { dueAt } from '../shared/table/indexes.ts';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import type { PublishingTarget } from './target.ts';

/** The right to publish to a channel, or when to ask for it again. */
export type Turn =
  | { readonly outcome: 'taken'; release(): Promise<void> }
  | { readonly outcome: 'wait'; readonly atMs: number };

interface Needs {
  readonly table: ServiceTable;
  readonly clock: Clock;
  readonly random: () => number;
}

/** How long to wait for another's turn to end; varied, so that those who wait do not ask together. */
const ASK_AGAIN_MS = 4 * SECOND_MS;

/** Our apps at the platforms: those who share one share its limits. Customers' endpoints have none. */
const APPS: Partial<Record<Platform, string>> = {
  meta_facebook: 'meta',
  meta_instagram: 'meta',
  tiktok: 'tiktok',
  youtube: 'youtube',
  linkedin_personal: 'linkedin',
  linkedin_company: 'linkedin',
};

/**
 * Lets one target at a time be published to a channel, and none while the platform wants a rest. Customers'
 * endpoints are exempt. A worker that dies keeps its turn until `untilMs`, or until its target is taken up
 * again, whose turn it still is.
 */
export async function takeTurn(target: PublishingTarget, untilMs: number, needs: Needs): Promise<Turn> {
  const { table, clock, random } = needs;
  if (target.platform === 'custom_webhook') return { outcome: 'taken', release: async () => {} };
  const nowMs = clock();
  const Key = keys.channel(target.workspace_id, target.channel_id);
  const turn = `${target.post_id}#${target.fence}`;
  const taken = await table.update({
    Key,
    UpdateExpression: 'SET turn_of = :turn, turn_until = :until',
    ConditionExpression: [
      'attribute_exists(pk)',
      '(attribute_not_exists(paused_until) OR paused_until <= :now)',
      '(attribute_not_exists(turn_until) OR turn_until <= :now OR begins_with(turn_of, :post))',
    ].join(' AND '),
    ExpressionAttributeValues: {
      ':turn': turn,
      ':post': target.post_id,
      ':until': isoAt(untilMs),
      ':now': isoAt(nowMs),
    },
  });
  if (taken.outcome === 'refused') {
    const pausedMs = Date.parse(String(taken.current?.paused_until ?? isoAt(nowMs)));
    return { outcome: 'wait', atMs: Math.max(nowMs, pausedMs) + ASK_AGAIN_MS * (0.5 + random()) };
  }
  const release = async () => {
    await table.update({
      Key,
      UpdateExpression: 'REMOVE turn_of, turn_until',
      ConditionExpression: 'turn_of = :turn',
      ExpressionAttributeValues: { ':turn': turn },
    });
  };
  const pausedMs = await appPausedUntil(table, target.platform);
  if (pausedMs <= nowMs) return { outcome: 'taken', release };
  await release();
  return { outcome: 'wait', atMs: pausedMs + ASK_AGAIN_MS * random() };
}

async function appPausedUntil(table: ServiceTable, platform: Platform): Promise<number> {
  const app = APPS[platform];
  if (!app) return 0;
  const key = keys.app(app);
  const row = (await table.get([key])).get(nameOf(key));
  return row ? Date.parse(String(row.paused_until)) : 0;
}

/**
 * Lets go of a target that was claimed when it was not its channel's turn. It is as if it had not been
 * claimed: no step was taken, so nothing is counted and nothing recorded.
 */
export async function letGo(target: PublishingTarget, atMs: number, table: ServiceTable): Promise<boolean> {
  const due = dueAt(target.post_id, isoAt(atMs + MESSAGE_GRACE_MS));
  const updated = await table.update({
    Key: keys.target(target.workspace_id, target.post_id, target.channel_id),
    UpdateExpression: [
      'SET #status = :status, interruptions = interruptions - :one, next_attempt_at = :at',
      'due_shard = :shard, wake_at = :wake REMOVE lease_until, overdue_since',
    ].join(', '),
    ConditionExpression: 'fence = :fence',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':status': target.sends > 0 ? 'awaiting_platform' : 'posting',
      ':one': 1,
      ':at': isoAt(atMs),
      ':shard': due.due_shard,
      ':wake': due.wake_at,
      ':fence': target.fence,
    },
  });
  return updated.outcome === 'updated';
}

/** Remembers a rest that a platform asked for; a shorter one never replaces a longer one. */
export async function pause(
  { workspace_id, channel_id, platform }: Pick<PublishingTarget, 'workspace_id' | 'channel_id' | 'platform'>,
  { scope, untilMs }: { scope: 'channel' | 'app'; untilMs: number },
  table: ServiceTable,
): Promise<void> {
  const app = APPS[platform];
  if (scope === 'app' && !app) return;
  const isChannel = scope === 'channel' || app === undefined;
  await table.update({
    Key: isChannel ? keys.channel(workspace_id, channel_id) : keys.app(app),
    UpdateExpression: 'SET paused_until = :until',
    ConditionExpression: [
      ...(isChannel ? ['attribute_exists(pk) AND'] : []),
      '(attribute_not_exists(paused_until) OR paused_until < :until)',
    ].join(' '),
    ExpressionAttributeValues: { ':until': isoAt(untilMs) },
  });
}
