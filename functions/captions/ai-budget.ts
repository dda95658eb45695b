import * as v from 'valibot';
import { type Clock, DAY_MS, isoAt, MINUTE_MS } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import { RequestError } from '../shared/request-error.ts';
import type { Row, RowKey } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { aiUsageKey } from '../workspaces/usage.ts';

/** Money set aside for one call, until it is known what the call cost. */
export interface Hold {
  readonly key: RowKey;
  readonly attribute: string;
  readonly microDollars: number;
}

/** A workspace's budget of a UTC month for texts written by a model. Amounts are millionths of a dollar. */
export interface AiBudget {
  /**
   * Sets aside the most a call may cost. Calls are let in while spent and held money is below the budget, so
   * that however many come at once, at most the last one let in goes over it.
   *
   * @throws {RequestError} quota_exceeded
   */
  reserve(call: { workspaceId: string; budgetCents: number; microDollars: number }): Promise<Hold>;
  /** Books what the call cost in place of what was held. Safe to run twice: without its hold nothing is booked. */
  settle(hold: Hold, microDollars: number): Promise<void>;
}

/**
 * A call ends within half a minute; a hold that is older belongs to a call that crashed, which its caller saw
 * fail: the money is given back, and what the model may have cost us is ours.
 */
const HOLD_MS = 5 * MINUTE_MS;
const KEPT_DAYS = 400;
const MICRO_DOLLARS_PER_CENT = 10_000;
const HOLD_PREFIX = 'hold:';

const HeldAmount = v.object({ micro_dollars: v.number(), until: v.string() });

interface Needs {
  readonly table: ServiceTable;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly upgradeUrl: string;
}

/**
 * The budget in one row a month: `used` is booked, `committed` is booked and held, and each hold is an attribute
 * of its own. Every change is one conditional write.
 */
export function aiBudget({ table, clock, newId, upgradeUrl }: Needs): AiBudget {
  const hold = (held: Hold, limit: number, nowMs: number) =>
    table.update({
      Key: held.key,
      UpdateExpression:
        'SET #hold = :hold, #committed = if_not_exists(#committed, :none) + :held, ' +
        '#used = if_not_exists(#used, :none), expires_at_seconds = :expires',
      // A write repeated after a lost reply finds its own hold, and must not add to it.
      ConditionExpression: `attribute_not_exists(#hold) AND ${isBelow(limit)}`,
      ExpressionAttributeNames: { '#hold': held.attribute, '#committed': 'committed', '#used': 'used' },
      ExpressionAttributeValues: {
        ':hold': { micro_dollars: held.microDollars, until: isoAt(nowMs + HOLD_MS) },
        ':held': held.microDollars,
        ':none': 0,
        ':limit': limit,
        ':expires': Math.ceil((nowMs + KEPT_DAYS * DAY_MS) / 1000),
      },
    });

  /** Gives back what crashed calls held; says whether that changed anything. */
  async function release(key: RowKey, row: Row, nowMs: number): Promise<boolean> {
    const lost = holdsIn(row).filter(([, { until }]) => until < isoAt(nowMs));
    if (lost.length === 0) return false;
    const names = Object.fromEntries(lost.map(([attribute], index) => [`#hold${index}`, attribute]));
    await table.update({
      Key: key,
      UpdateExpression: `SET #committed = #committed - :lost REMOVE ${Object.keys(names).join(', ')}`,
      ConditionExpression: Object.keys(names)
        .map((name) => `attribute_exists(${name})`)
        .join(' AND '),
      ExpressionAttributeNames: { ...names, '#committed': 'committed' },
      ExpressionAttributeValues: { ':lost': sum(lost.map(([, { micro_dollars }]) => micro_dollars)) },
    });
    // Whoever was refused because another gave them back first may try again too.
    return true;
  }

  return {
    async reserve({ workspaceId, budgetCents, microDollars }) {
      const nowMs = clock();
      const key = aiUsageKey(workspaceId, nowMs);
      const held: Hold = { key, attribute: `${HOLD_PREFIX}${newId(nowMs)}`, microDollars };
      const limit = budgetCents * MICRO_DOLLARS_PER_CENT;
      let taken = await hold(held, limit, nowMs);
      if (taken.outcome === 'refused' && taken.current && (await release(key, taken.current, nowMs))) {
        taken = await hold(held, limit, nowMs);
      }
      if (taken.outcome === 'updated' || taken.current?.[held.attribute]) return held;
      throw exhausted({ row: taken.current, budgetCents, upgradeUrl, nowMs });
    },

    async settle({ key, attribute, microDollars: held }, microDollars) {
      await table.update({
        Key: key,
        UpdateExpression: 'SET #used = #used + :cost, #committed = #committed + :change REMOVE #hold',
        ConditionExpression: 'attribute_exists(#hold)',
        ExpressionAttributeNames: { '#hold': attribute, '#committed': 'committed', '#used': 'used' },
        ExpressionAttributeValues: { ':cost': microDollars, ':change': microDollars - held },
      });
    },
  };
}

/** A row that is not there yet stands at nothing, which is below any budget but none. */
const isBelow = (limit: number): string =>
  limit > 0 ? '(attribute_not_exists(#committed) OR #committed < :limit)' : '#committed < :limit';

const holdsIn = (row: Row) =>
  Object.entries(row)
    .filter(([attribute]) => attribute.startsWith(HOLD_PREFIX))
    .map(([attribute, value]) => [attribute, v.parse(HeldAmount, value)] as const);

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

function exhausted(at: {
  readonly row: Row | undefined;
  readonly budgetCents: number;
  readonly upgradeUrl: string;
  readonly nowMs: number;
}): RequestError {
  const month = new Date(at.nowMs);
  const resetAt = isoAt(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
  const committed = typeof at.row?.committed === 'number' ? at.row.committed : 0;
  return new RequestError(
    'quota_exceeded',
    `the plan allows ${at.budgetCents} cents a month (UTC) for texts written by a model and all are used; wait until ${resetAt} or change the plan`,
    {
      details: {
        used: Math.ceil(committed / MICRO_DOLLARS_PER_CENT),
        limit: at.budgetCents,
        reset_at: resetAt,
        upgrade_url: at.upgradeUrl,
      },
    },
  );
}
