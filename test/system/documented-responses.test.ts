import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { hashSecret, parseApiKey } from '../../functions/access/api-key.ts';
import { OPERATIONS } from '../../functions/reference/operations.ts';
import { SCOPES } from '../../functions/shared/http/operation.ts';
import { keys } from '../../functions/shared/table/keys.ts';
import { type Answer, type Call, runningService } from './client.ts';
import { describedOperations } from './contract.ts';
import { SAMPLES, type Sample } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const { call, service } = runningService();
const operator = operatorOf(inject('stateDirectory'));
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace(operator);
});

interface Asked {
  readonly method: string;
  readonly sample: Sample;
  /** The sample, with what makes it fail. */
  readonly ask: (change?: Parameters<Call>[2] & { readonly path?: string }) => Promise<Answer>;
}

const TOO_LONG = `"${'x'.repeat(5 * 1024 * 1024)}"`;

/** What brings each answer about; the same for all operations that document it. */
const CAUSES: Readonly<Record<string, (asked: Asked) => Promise<Answer>>> = {
  '200': ({ ask }) => ask(),
  '201': ({ ask }) => ask(),
  '202': ({ ask }) => ask(),
  '400': ({ ask, sample, method }) => {
    if (sample.body) return ask({ body: '{' });
    return method === 'GET'
      ? ask({ path: `${sample.path.split('?')[0]}?status=lost&kind=lost` })
      : ask({ idempotencyKey: 'short' });
  },
  '401': ({ ask }) => ask({ key: null }),
  '402': async ({ ask }) => {
    await workspace.setLimits({ posts_per_day: 0 });
    try {
      return await ask();
    } finally {
      await workspace.setLimits({ posts_per_day: 100_000 });
    }
  },
  '403': async ({ ask, sample, method }) => {
    const needed = OPERATIONS.find(
      (each) => each.method === method && matches(each.path, sample.path.split('?')[0] ?? ''),
    )?.scope;
    return ask({ key: await workspace.newKey({ scopes: SCOPES.filter((scope) => scope !== needed) }) });
  },
  '404': ({ ask, sample }) => ask({ path: sample.path.replace(/[0-9a-f-]{36}/, randomUUID()) }),
  '409': async ({ ask, sample }) => {
    const idempotencyKey = randomUUID();
    await call('DELETE', `/posts/${randomUUID()}`, { key: workspace.key, idempotencyKey });
    return ask({ idempotencyKey, body: sample.body });
  },
  '413': ({ ask }) => ask({ body: TOO_LONG }),
  '422': ({ ask }) => ask({ body: { caption: 'x', channels: [{ id: randomUUID() }] } }),
  '429': async ({ ask }) => {
    const key = await workspace.newKey({ rateLimit: 1 });
    await ask({ key });
    const answer = await ask({ key });
    // The minute may just have changed.
    return answer.status === 429 ? answer : ask({ key });
  },
  '5XX': async ({ ask }) => {
    const key = await workspace.newKey();
    const { lookup = '', secret = '' } = parseApiKey(key) ?? {};
    const Key = keys.apiKey(lookup, hashSecret(secret));
    await operator.table.update({ Key, UpdateExpression: 'REMOVE cursor_key' });
    return ask({ key });
  },
};

const matches = (pattern: string, path: string) =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

const documented = [...describedOperations].flatMap(([name, { responses }]) =>
  Object.keys(responses).map((status) => [name, status] as const),
);

describe('every documented response', () => {
  it.each(documented)('comes: %s %s', async (name, status) => {
    const [method = ''] = name.split(' ');
    const sample = await SAMPLES[name]?.({ workspace, call, edgeUrl: service.edge_url });
    if (!sample) throw new Error(`sample-requests.ts has no request for ${name}`);
    const special = sample.before?.[status];
    await special?.();
    const cause = special ? CAUSES['200'] : CAUSES[status];
    if (!cause) throw new Error(`nothing here brings about ${status}`);

    const answer = await cause({
      method,
      sample,
      ask: ({ path = sample.path, ...change } = {}) =>
        call(method, path, { key: workspace.key, body: sample.body, ...change }),
    });

    if (special) await workspace.setLimits({ ai_budget_cents: 500 });
    expect(String(answer.status)).toMatch(status === '5XX' ? /^5/ : status);
  });
});
