import { expect, it } from 'vitest';
import type { MediaRow } from '../../functions/media/media.ts';
import { keys } from '../../functions/shared/table/keys.ts';
import { putMedia } from './platforms/simulated-media.ts';
import { breachesOf } from './simulation/oracle.ts';
import { untilQuiet } from './simulation/seeds.ts';
import { simulatedService } from './simulation/simulated-service.ts';

const MINUTE_MS = 60_000;

/** A post for an endpoint whose one file arrives, or never does, so long after it was published. */
async function postWaiting(arrivesAfterMs: number, becomes: Partial<MediaRow>) {
  const service = simulatedService(3, {});
  const { world, table } = service;
  const workspace = service.workspace(['custom_webhook']);
  const media = putMedia(service, workspace.id, { kind: 'image', bytes: 0, status: 'arriving', etag: null });
  const key = keys.media(workspace.id, media.id);
  const startedMs = world.now();
  world.after(arrivesAfterMs, () => table.put({ ...key, ...table.row(key), ...becomes }));
  void service.create(workspace, 'now', 'x', { media: [media] });
  const target = () =>
    [...table.all()].find(({ sk }) => String(sk).includes('#TARGET#') && String(sk).startsWith('POST#'));
  await world.runUntil(startedMs + arrivesAfterMs - 1000);
  const waiting = { ...target() };
  await untilQuiet(service, 10 * MINUTE_MS);
  const attempts = [...table.all()].filter(({ pk }) => String(pk).endsWith('#ATTEMPTS'));
  return { service, waiting, target, attempts, lateMs: (at: number) => at - startedMs - arrivesAfterMs };
}

it.each([
  ['after seconds', 7_000],
  ['after minutes', 4 * MINUTE_MS],
])('a target waits for its media, which is no attempt, and goes out soon %s', async (_, arrivesAfterMs) => {
  const { service, waiting, attempts, target, lateMs } = await postWaiting(arrivesAfterMs, {
    status: 'ready',
    etag: '"x"',
  });

  expect(waiting).toMatchObject({ status: 'posting', error_message: expect.stringMatching(/on its way/) });
  expect(target()).toMatchObject({ status: 'posted', error_message: null });
  expect(attempts.map(({ stage, result }) => [stage, result])).toEqual([['send', 'posted']]);
  expect(lateMs(service.receiver.received[0]?.atMs ?? 0)).toBeLessThan(17_000);
  // 2, 2, 4, 8, and then 15 s at a time; each time its worker took it up.
  expect(target()?.fence).toBeLessThan(5 + arrivesAfterMs / 14_000);
  expect(breachesOf(service)).toEqual([]);
});

it('a target whose media never arrives fails and says why, and nothing goes out', async () => {
  const { service, target, attempts } = await postWaiting(3 * MINUTE_MS, {
    status: 'failed',
    failure: 'The file could not be fetched from its URL.',
  });

  expect(target()).toMatchObject({
    status: 'failed',
    error_message: expect.stringMatching(/never arrived \(The file could not be fetched/),
  });
  expect(attempts).toMatchObject([{ stage: 'prepare', result: 'refused', code: 'media_failed' }]);
  expect(service.receiver.received).toEqual([]);
});
