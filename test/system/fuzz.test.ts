import fc from 'fast-check';
import { beforeAll, expect, inject, it } from 'vitest';
import { type FuzzedRequest, formRequests, type KnownIds, requestsFor } from './arbitrary-request.ts';
import { runningService } from './client.ts';
import { describedOperations } from './contract.ts';
import { newDraft } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

/** `npm run fuzz` takes longer. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 4);
const AT_ONCE = 10;
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

const { call } = runningService();
let workspace: TestWorkspace;
let ids: KnownIds;
beforeAll(async () => {
  workspace = await newWorkspace(operatorOf(inject('stateDirectory')), { ai_budget_cents: 100_000 });
  await workspace.setBrandKit({ voice: 'warm' });
  ids = {
    channels: Object.values(workspace.channels),
    media: [await workspace.newMedia('image'), await workspace.newMedia('video')],
    posts: await Promise.all(Array.from({ length: 20 }, () => newDraft({ workspace, call }))),
  };
  // Functions start cold; the time is for requests.
  for (const [name] of describedOperations)
    await send({
      name,
      path: name.split(' ')[1] ?? '',
      body: name.startsWith('P') ? '' : undefined,
      idempotencyKey: null,
      headers: {},
    });
});

/** The client itself refuses what is not described; see contract.ts. */
async function send({ name, path, ...sent }: FuzzedRequest): Promise<string> {
  const [method = ''] = name.split(' ');
  const { status } = await call(method, path, { key: workspace.key, ...sent });
  return `${name} ${status}`;
}

it(
  `answers anything with what openapi.json says, and never 5xx (seed ${SEED})`,
  async () => {
    const statuses = new Map<string, number>();
    const requests = fc.oneof(
      ...[...describedOperations].map(([name, described]) => requestsFor(name, described, ids)),
      { arbitrary: formRequests, weight: 2 },
    );

    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: AT_ONCE, size: 'max' }), async (all) => {
        const answered = await Promise.all(all.map(send));
        for (const key of answered) statuses.set(key, (statuses.get(key) ?? 0) + 1);
        expect(answered.filter((key) => / 5\d\d$/.test(key))).toEqual([]);
      }),
      {
        seed: SEED,
        numRuns: 1_000_000,
        interruptAfterTimeLimit: SECONDS * 1000,
        markInterruptAsFailure: false,
      },
    );

    const total = statuses.values().reduce((sum, count) => sum + count, 0);
    console.info(`${total} requests with FUZZ_SEED=${SEED}`);
    if (process.env.FUZZ_SECONDS) console.table([...statuses].sort());
    // On a machine that managed few requests there is nothing to be learned from what they were.
    const accepted = (statuses.get('POST /posts 202') ?? 0) + (statuses.get('POST /drafts 202') ?? 0);
    if (total > 1000) expect(accepted, 'no generated post was ever accepted').toBeGreaterThan(0);
  },
  (SECONDS + 30) * 1000,
);
