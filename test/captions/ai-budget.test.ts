import { describe, expect, it } from 'vitest';
import { aiBudget } from '../../functions/captions/ai-budget.ts';
import { newId } from '../../functions/shared/ids.ts';
import { nameOf } from '../../functions/shared/table/keys.ts';
import { aiUsageKey } from '../../functions/workspaces/usage.ts';
import { tableUnderTest } from '../table-under-test.ts';

const under = tableUnderTest();
const NOVEMBER = Date.parse('2026-11-30T23:59:00.000Z');
const budgetAt = (clock: () => number) =>
  aiBudget({ table: under.table, clock, newId, upgradeUrl: 'https://upgrade.example' });
const rowOf = async (workspaceId: string, nowMs = NOVEMBER) => {
  const key = aiUsageKey(workspaceId, nowMs);
  return (await under.table.get([key])).get(nameOf(key));
};

describe('the budget for texts written by a model', () => {
  it('lets in no call once it is used up, and at most the last goes over it, fifty at once', async () => {
    const budget = budgetAt(() => NOVEMBER);
    const spend = async () => {
      const hold = await budget.reserve({ workspaceId: 'many', budgetCents: 10, microDollars: 9000 });
      await budget.settle(hold, 7000);
    };

    const calls = await Promise.allSettled(Array.from({ length: 50 }, spend));

    const admitted = calls.filter(({ status }) => status === 'fulfilled').length;
    const row = await rowOf('many');
    expect(row?.used).toBe(admitted * 7000);
    expect(row?.committed).toBe(row?.used);
    expect(admitted * 7000).toBeLessThanOrEqual(100_000 + 9000);
    expect(admitted).toBeGreaterThanOrEqual(12);
    for (const call of calls) {
      if (call.status === 'rejected') expect(call.reason).toMatchObject({ code: 'quota_exceeded' });
    }
  });

  it('holds exactly, when fifty come before the first is settled', async () => {
    const budget = budgetAt(() => NOVEMBER);

    const calls = await Promise.allSettled(
      Array.from({ length: 50 }, () =>
        budget.reserve({ workspaceId: 'burst', budgetCents: 10, microDollars: 9000 }),
      ),
    );

    // The twelfth finds 99,000 of 100,000 taken.
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(12);
    expect((await rowOf('burst'))?.committed).toBe(108_000);
  });

  it('says what is used, what is allowed, and when it begins anew', async () => {
    const budget = budgetAt(() => NOVEMBER);
    await budget.settle(
      await budget.reserve({ workspaceId: 'full', budgetCents: 1, microDollars: 5000 }),
      12_345,
    );

    await expect(
      budget.reserve({ workspaceId: 'full', budgetCents: 1, microDollars: 1 }),
    ).rejects.toMatchObject({
      status: 402,
      details: {
        used: 2,
        limit: 1,
        reset_at: '2026-12-01T00:00:00.000Z',
        upgrade_url: 'https://upgrade.example',
      },
    });
  });

  it('begins anew with the month, and books a call in the month it began', async () => {
    let nowMs = NOVEMBER;
    const budget = budgetAt(() => nowMs);
    const hold = await budget.reserve({ workspaceId: 'month', budgetCents: 1, microDollars: 20_000 });
    nowMs += 2 * 60_000;

    await budget.reserve({ workspaceId: 'month', budgetCents: 1, microDollars: 1 });
    await budget.settle(hold, 15_000);

    expect((await rowOf('month'))?.used).toBe(15_000);
    expect((await rowOf('month', nowMs))?.used).toBe(0);
  });

  it('gives back what crashed calls held, once they cannot be running any more', async () => {
    let nowMs = NOVEMBER - 86_400_000;
    const budget = budgetAt(() => nowMs);
    const reserve = () => budget.reserve({ workspaceId: 'crashed', budgetCents: 1, microDollars: 6000 });
    await reserve();
    await reserve();

    await expect(reserve()).rejects.toMatchObject({ code: 'quota_exceeded' });
    nowMs += 5 * 60_000 + 1;
    const both = await Promise.allSettled([reserve(), reserve()]);

    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect((await rowOf('crashed', nowMs))?.committed).toBe(12_000);
  });

  it('books a call once, however often its settlement is repeated', async () => {
    const budget = budgetAt(() => NOVEMBER);
    const hold = await budget.reserve({ workspaceId: 'twice', budgetCents: 1, microDollars: 6000 });

    await budget.settle(hold, 500);
    await budget.settle(hold, 500);

    expect(await rowOf('twice')).toMatchObject({ used: 500, committed: 500 });
  });

  it('counts a hold once, though its write is repeated after a lost reply', async () => {
    const table: typeof under.table = {
      ...under.table,
      update: async (input) => {
        await under.table.update(input);
        return under.table.update(input);
      },
    };
    const budget = aiBudget({ table, clock: () => NOVEMBER, newId, upgradeUrl: '' });

    await budget.reserve({ workspaceId: 'lost', budgetCents: 1, microDollars: 6000 });

    expect((await rowOf('lost'))?.committed).toBe(6000);
  });

  it('of nothing lets nothing in', async () => {
    const reserve = budgetAt(() => NOVEMBER).reserve({
      workspaceId: 'none',
      budgetCents: 0,
      microDollars: 1,
    });

    await expect(reserve).rejects.toMatchObject({ code: 'quota_exceeded', details: { used: 0, limit: 0 } });
    expect(await rowOf('none')).toBeUndefined();
  });
});
