import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { reachUrl } from '../../functions/media/reach-url.ts';
import { guardedDownload } from '../../functions/shared/outbound/guarded-download.ts';
import type { RequestError } from '../../functions/shared/request-error.ts';
import { DEFAULT_LIMITS } from '../../functions/workspaces/workspace.ts';
import { fakeNetwork } from '../outbound/fake-network.ts';

const SAMPLES = 200;

/** What is at an address, by the reason for which nobody answers there. */
const REASONS = {
  'leads inside': { name: 'inside.bakery.com', address: ['10.0.0.5'] },
  'does not exist': { name: 'unknown.bakery.com', address: { code: 'ENOTFOUND' } },
  refuses: { name: 'closed.bakery.com', address: ['93.184.216.36'] },
  'never answers': { name: 'silent.bakery.com', address: ['93.184.216.37'] },
} as const;

const network = fakeNetwork({
  names: Object.fromEntries(Object.values(REASONS).map(({ name, address }) => [name, address])),
  // Nothing listens at port 1.
  routes: { '93.184.216.36': 1 },
});
const { dial } = network;
const getUrl: Parameters<typeof reachUrl>[2]['getUrl'] = (download) =>
  guardedDownload(download, {
    ...network,
    dial: (to) => (to.address === '93.184.216.37' ? new Socket() : dial(to)),
  });

async function refusedAfterMs(name: string): Promise<number> {
  const startedMs = performance.now();
  const asked = { url: `https://${name}/x.jpg`, workspaceId: 'w', limits: DEFAULT_LIMITS, where: 'body.url' };
  const needs = { getUrl, ownHosts: [], clock: Date.now };
  const error = await reachUrl(asked, Date.now() + 18_000, needs).catch((thrown: RequestError) => thrown);
  expect(error).toMatchObject({ code: 'invalid_request' });
  return performance.now() - startedMs;
}

const quantile = (values: readonly number[], q: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(q * (values.length - 1))] ?? 0;

it('tells by no clock why nobody answers at a media URL', { timeout: 120_000 }, async () => {
  const took: Record<string, number[]> = {};
  const asked = Object.entries(REASONS).flatMap(([reason, { name }]) =>
    Array.from({ length: SAMPLES }, (_, index) => ({ reason, name, index })),
  );
  // Mixed, and spread out, so that what slows one down slows them all.
  const inTurn = asked.toSorted((one, other) => one.index - other.index);
  await Promise.all(
    inTurn.map(async ({ reason, name, index }) => {
      await new Promise((resolve) => setTimeout(resolve, index * 50));
      const ms = await refusedAfterMs(name);
      took[reason] = [...(took[reason] ?? []), ms];
    }),
  );

  const medians = Object.values(took).map((ms) => quantile(ms, 0.5));
  const tails = Object.values(took).map((ms) => quantile(ms, 0.95));
  expect(Object.values(took).map(({ length }) => length)).toEqual([SAMPLES, SAMPLES, SAMPLES, SAMPLES]);
  expect(Math.max(...medians) - Math.min(...medians)).toBeLessThan(20);
  expect(Math.max(...tails) - Math.min(...tails)).toBeLessThan(100);
});
