import { describe, expect, it } from 'vitest';
import type { Platform } from '../../functions/channels/platform.ts';
import { letGo, pause, takeTurn } from '../../functions/publishing/channel-turn.ts';
import type { PublishingTarget } from '../../functions/publishing/target.ts';
import { keys, nameOf } from '../../functions/shared/table/keys.ts';
import { memoryTable } from './simulation/memory-table.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const UNTIL_MS = NOW_MS + 900_000;

function setUp(platform: Platform = 'meta_facebook') {
  const table = memoryTable({ changed: () => {}, committed: () => {} });
  table.put({ ...keys.channel('w', 'c'), id: 'c', platform });
  const target = (post_id: string, fence = 1): PublishingTarget =>
    ({ workspace_id: 'w', channel_id: 'c', post_id, platform, fence, sends: 0 }) as PublishingTarget;
  const needs = (nowMs = NOW_MS) => ({ table, clock: () => nowMs, random: () => 0.5 });
  return { table, target, needs };
}

describe('takeTurn', () => {
  it('lets one target at a time be published to a channel, and the next once it is done', async () => {
    const { target, needs } = setUp();

    const first = await takeTurn(target('a'), UNTIL_MS, needs());
    const second = await takeTurn(target('b'), UNTIL_MS, needs());
    if (first.outcome === 'taken') await first.release();
    const third = await takeTurn(target('b'), UNTIL_MS, needs());

    expect([first, second, third].map(({ outcome }) => outcome)).toEqual(['taken', 'wait', 'taken']);
    expect(second).toEqual({ outcome: 'wait', atMs: NOW_MS + 4_000 });
  });

  it('gives the turn of a dead worker to the one that takes its target up, whom its end does not disturb', async () => {
    const { target, needs } = setUp();

    const dead = await takeTurn(target('a', 1), UNTIL_MS, needs());
    const next = await takeTurn(target('a', 2), UNTIL_MS, needs());
    if (dead.outcome === 'taken') await dead.release();

    expect(next.outcome).toBe('taken');
    expect((await takeTurn(target('b'), UNTIL_MS, needs())).outcome).toBe('wait');
    expect((await takeTurn(target('b'), UNTIL_MS + 1, needs(UNTIL_MS))).outcome).toBe('taken');
  });

  it('exempts webhooks', async () => {
    const { target, needs } = setUp('custom_webhook');

    for (const post of ['a', 'b']) {
      expect((await takeTurn(target(post), UNTIL_MS, needs())).outcome).toBe('taken');
    }
  });

  it.each([['channel'], ['app']] as const)(
    'waits while the platform wants a rest of the %s',
    async (scope) => {
      const { table, target, needs } = setUp();
      await pause(target('a'), { scope, untilMs: NOW_MS + 60_000 }, table);
      await pause(target('a'), { scope, untilMs: NOW_MS + 1_000 }, table);

      const during = await takeTurn(target('a'), UNTIL_MS, needs());
      const after = await takeTurn(target('a'), UNTIL_MS, needs(NOW_MS + 60_000));

      expect(during.outcome).toBe('wait');
      if (during.outcome === 'wait') expect(during.atMs).toBeGreaterThanOrEqual(NOW_MS + 60_000);
      expect(after.outcome).toBe('taken');
    },
  );
});

it('lets go of a target as if it had not been claimed', async () => {
  const { table, target } = setUp();
  const key = keys.target('w', 'a', 'c');
  table.put({ ...key, fence: 3, interruptions: 2, status: 'posting', lease_until: 'later' });

  expect(await letGo({ ...target('a', 3), sends: 1 }, NOW_MS + 5_000, table)).toBe(true);
  expect(await letGo(target('a', 2), NOW_MS + 9_000, table)).toBe(false);

  const row = (await table.get([key])).get(nameOf(key));
  expect(row).toMatchObject({
    interruptions: 1,
    status: 'awaiting_platform',
    next_attempt_at: '2026-11-21T00:00:05.000Z',
  });
  expect(row).not.toHaveProperty('lease_until');
});
