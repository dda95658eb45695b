import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../functions/shared/ids.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import type { Effect } from '../../functions/shared/table/effect.ts';
import { nameOf } from '../../functions/shared/table/keys.ts';
import {
  consumeDailyPost,
  consumePendingSchedule,
  dayUsageKey,
  pendingUsageKey,
  releasePendingSchedule,
} from '../../functions/workspaces/usage.ts';
import { DEFAULT_LIMITS, type WorkspaceRow } from '../../functions/workspaces/workspace.ts';
import { tableUnderTest } from '../table-under-test.ts';

const NOW = Date.parse('2026-05-01T09:00:00Z');
const UPGRADE_URL = 'https://example.com/plans';
const engine = tableUnderTest();
let id: string;
beforeEach(() => {
  id = newId(NOW);
});

const workspace = (limits: Partial<WorkspaceRow['limits']>): WorkspaceRow => ({
  id,
  name: '',
  plan: '',
  created_at: '',
  cursor_key: '',
  late_publishing_hours: 6,
  limits: { ...DEFAULT_LIMITS, ...limits },
});

/** What a caller gets of an effect: nothing, or its refusal. */
async function outcome({ write, refused }: Effect): Promise<RequestError | 'read again' | undefined> {
  const committed = await engine.table.commit([write]);
  return committed.outcome === 'refused' ? refused(committed.current) : undefined;
}

const rowOf = async (key: { pk: string; sk: string }) => (await engine.table.get([key])).get(nameOf(key));

describe('the posts of a day', () => {
  const consume = (limit: number, nowMs = NOW) =>
    outcome(consumeDailyPost(workspace({ posts_per_day: limit }), UPGRADE_URL, nowMs));

  it('are taken up to the limit, and then refused with all a client needs', async () => {
    const results = [await consume(2), await consume(2), await consume(2)];

    expect(results.slice(0, 2)).toEqual([undefined, undefined]);
    expect(results[2]).toBeInstanceOf(RequestError);
    expect(results[2]).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('2 posts a day'),
      details: { used: 2, limit: 2, reset_at: '2026-05-02T00:00:00.000Z', upgrade_url: UPGRADE_URL },
    });
    expect(await rowOf(dayUsageKey(id, NOW))).toMatchObject({ used: 2 });
  });

  it('are none where the plan allows none, from the first on', async () => {
    expect(await consume(0)).toMatchObject({ code: 'quota_exceeded', details: { used: 0, limit: 0 } });
    expect(await rowOf(dayUsageKey(id, NOW))).toBeUndefined();
  });

  it('are not more than the limit when all come at once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => consume(7)));

    expect(results.filter((result) => result === undefined)).toHaveLength(7);
  });

  it('come back at midnight UTC', async () => {
    await consume(1, Date.parse('2026-05-01T23:59:59.999Z'));

    expect(await consume(1, Date.parse('2026-05-01T00:00:00Z'))).toMatchObject({ code: 'quota_exceeded' });
    expect(await consume(1, Date.parse('2026-05-02T00:00:00Z'))).toBeUndefined();
  });

  it('are refused at once when the plan shrinks below what is used, and given when it grows', async () => {
    await consume(3);
    await consume(3);

    expect(await consume(1)).toMatchObject({ details: { used: 2, limit: 1 } });
    expect(await consume(3)).toBeUndefined();
  });

  it('leave counters that expire, 40 days later', async () => {
    await consume(1);

    expect(await rowOf(dayUsageKey(id, NOW))).toMatchObject({ expires_at_seconds: NOW / 1000 + 40 * 86_400 });
  });
});

describe('the waiting places', () => {
  const consume = (limit: number) =>
    outcome(consumePendingSchedule(workspace({ pending_schedules: limit }), UPGRADE_URL));

  it('are taken up to the limit and refused without a moment at which one comes free', async () => {
    expect(await consume(1)).toBeUndefined();
    expect(await consume(1)).toMatchObject({
      code: 'quota_exceeded',
      details: { used: 1, limit: 1, reset_at: null, upgrade_url: UPGRADE_URL },
    });
    expect(await consume(0)).toMatchObject({ code: 'quota_exceeded' });
  });

  it('come back one by one', async () => {
    await consume(1);

    await outcome(releasePendingSchedule(id));

    expect(await rowOf(pendingUsageKey(id))).toMatchObject({ used: 0 });
    expect(await consume(1)).toBeUndefined();
  });

  it('do not expire', async () => {
    await consume(1);

    expect(await rowOf(pendingUsageKey(id))).not.toHaveProperty('expires_at_seconds');
  });
});
