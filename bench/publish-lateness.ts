import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isoAt, MINUTE_MS, SECOND_MS } from '../functions/shared/clock.ts';
import { startService } from '../local/service.ts';
import { simulatedService } from '../test/publishing/simulation/simulated-service.ts';
import { newStateDirectory } from '../test/system/service-process.ts';

/** How late first deliveries came after `scheduled_for`, in milliseconds. */
export interface Lateness {
  readonly posts: number;
  readonly earliest: number;
  readonly p50: number;
  readonly p99: number;
  readonly latest: number;
}

function latenessOf(ms: readonly number[]): Lateness {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (q: number) => Math.round(sorted[Math.floor(q * (sorted.length - 1))] ?? Number.NaN);
  return { posts: sorted.length, earliest: at(0), p50: at(0.5), p99: at(0.99), latest: at(1) };
}

/** On a virtual clock: a thousand posts within an hour, schedules firing anywhere within their 60 s. */
export async function virtualLateness(): Promise<Lateness> {
  const service = simulatedService(1, {});
  const workspace = service.workspace(['custom_webhook']);
  const { world, table, receiver } = service;
  for (let post = 0; post < 1000; post += 1) {
    void service.create(workspace, { inMs: world.between(125 * SECOND_MS, 60 * MINUTE_MS) });
  }
  await world.runUntil(world.now() + 65 * MINUTE_MS);
  const dueMs = new Map(
    [...table.all()].map(({ id, scheduled_for }) => [id, Date.parse(String(scheduled_for))]),
  );
  return latenessOf(receiver.received.map(({ target, atMs }) => atMs - (dueMs.get(target) ?? Number.NaN)));
}

/** In real time: the local service with its scheduler stand-in, from the post's time to the inbox's first byte. */
export async function realLateness(posts: number): Promise<Lateness> {
  const stateDirectory = newStateDirectory();
  const service = await startService({ port: 0, stateDirectory });
  try {
    const [workspace] = service.workspaces;
    const channels = workspace?.channels.filter(({ platform }) => platform === 'custom_webhook');
    const dueMs = new Map<string, number>();
    for (let post = 0; post < posts; post += 1) {
      const atMs = Date.now() + 125 * SECOND_MS + Math.floor(Math.random() * MINUTE_MS);
      const caption = `lateness ${post}`;
      const to = channels?.map(({ id }) => ({ id }));
      const answer = await fetch(`${service.base_url}/posts`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${workspace?.api_keys.full}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify({ caption, channels: to, scheduled_for: isoAt(atMs) }),
      });
      if (answer.status === 202) dueMs.set(caption, atMs);
    }
    await sleep(Math.max(...dueMs.values()) - Date.now() + 10 * SECOND_MS);
    const deliveries: { meta: { caption: string }; received_at: string }[] = JSON.parse(
      await (await fetch(`${service.inbox_url}/deliveries`)).text(),
    );
    return latenessOf(
      deliveries.flatMap(({ meta, received_at }) => {
        const at = dueMs.get(meta.caption);
        return at === undefined ? [] : [Date.parse(received_at) - at];
      }),
    );
  } finally {
    await service.stop();
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}

/** Both, next to what a schedule set for the very time would give: anywhere within 60 s, by its user guide. */
export async function publishLateness(): Promise<Readonly<Record<string, Lateness>>> {
  const plain = latenessOf(Array.from({ length: 1000 }, (_, post) => post * 60));
  return {
    'a plain schedule': plain,
    'ours, virtual clock': await virtualLateness(),
    'ours, real time': await realLateness(Number(process.env.BENCH_POSTS ?? 200)),
  };
}

if (import.meta.main) console.table(await publishLateness());
