import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from './client.ts';
import { ownService } from './own-service.ts';
import { inAnHour, newDraft } from './sample-requests.ts';
import { newWorkspace, type TestWorkspace } from './test-workspace.ts';

const own = ownService();
let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace(own.operator);
});
afterEach(() => own.service.edge.faults.clear());

const call: typeof own.call = (method, path, options) =>
  own.call(method, path, { key: workspace.key, ...options });
const composed = (more: object = { scheduled_for: inAnHour() }) => ({
  caption: randomUUID(),
  channels: [{ id: workspace.channels.custom_webhook }],
  ...more,
});
const schedule = (more?: object) => call('POST', '/posts', { body: composed(more) });
const usage = async () => (await call('GET', '/workspaces')).body.data[0].usage;
const count = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

const LIMIT = 25;
const AT_ONCE = 50;
const LEFT = 10;

describe.each([
  ['the day', 'posts_per_day', 'posts_today'],
  ['waiting posts', 'pending_schedules', 'pending_schedules'],
] as const)('the limit of %s', (_, limit, counter) => {
  it('is exact however many come at once, while 3 of 10 transactions conflict', async () => {
    for (let n = 0; n < LIMIT - LEFT; n += 1) await schedule();
    await workspace.setLimits({ [limit]: LIMIT });
    own.service.edge.faults.set([{ service: 'dynamodb', fault: 'conflict', probability: 0.3, seed: 7 }]);

    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => schedule()));

    expect(own.service.edge.faults.list()[0]?.hits).toBeGreaterThan(20);
    own.service.edge.faults.clear();
    // A request that lost too often may be sent away with 429, and is then as if it had not been.
    const late = await Promise.all(Array.from({ length: count(answers, 429) }, () => schedule()));
    const all = [...answers.filter(({ status }) => status !== 429), ...late];
    expect([count(all, 202), count(all, 402)]).toEqual([LEFT, AT_ONCE - LEFT]);
    expect(count(answers, 429)).toBeLessThanOrEqual(2);
    expect((await usage())[counter]).toBe(LIMIT);
  });

  it('is told with what is used, when it starts anew, and where to get more', async () => {
    await workspace.setLimits({ [limit]: 1 });
    await schedule();

    const { status, body } = await schedule();

    expect(status).toBe(402);
    expect(body.error).toMatchObject({
      code: 'quota_exceeded',
      details: { used: 1, limit: 1, upgrade_url: expect.stringContaining('http') },
    });
    const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000).toISOString();
    expect(body.error.details.reset_at).toBe(limit === 'posts_per_day' ? midnight : null);
  });

  it('of nothing lets nothing through', async () => {
    await workspace.setLimits({ [limit]: 0 });

    expect(await schedule()).toMatchObject({
      status: 402,
      body: { error: { details: { used: 0, limit: 0 } } },
    });
  });
});

describe('a slot', () => {
  it('is taken by every way of publishing, and by no draft', async () => {
    await call('POST', '/posts', { body: composed({}) });
    const [one, two] = [await newDraft({ workspace, call }), await newDraft({ workspace, call })];
    expect(await usage()).toMatchObject({ posts_today: 0, pending_schedules: 0 });

    await schedule();
    await call('PATCH', `/posts/${one}`, { body: { scheduled_for: inAnHour() } });
    expect(await usage()).toMatchObject({ posts_today: 2, pending_schedules: 2 });

    await call('PATCH', `/posts/${two}`, { body: { publish_now: true } });
    await schedule({ publish_now: true });
    expect(await usage()).toMatchObject({ posts_today: 4, pending_schedules: 2 });
  });

  it('among the waiting comes back when a post is unscheduled, that of the day does not', async () => {
    const { body: post } = await schedule();
    await call('DELETE', `/posts/${post.id}`);
    expect(await usage()).toMatchObject({ posts_today: 1, pending_schedules: 0 });

    await workspace.setLimits({ posts_per_day: 1 });
    const again = await call('PATCH', `/posts/${post.id}`, { body: { scheduled_for: inAnHour() } });

    expect(again.status).toBe(402);
    expect(await usage()).toMatchObject({ posts_today: 1, pending_schedules: 0 });
  });

  it('is not taken by a repeat, nor by what was refused', async () => {
    const [body, idempotencyKey] = [composed(), randomUUID()];
    for (let n = 0; n < 5; n += 1) await call('POST', '/posts', { body, idempotencyKey });
    await schedule({ scheduled_for: '2020-01-01T00:00:00Z' });
    await call('POST', '/posts', { body: { ...composed(), caption: 'other' }, idempotencyKey });

    expect(await usage()).toMatchObject({ posts_today: 1, pending_schedules: 1 });
  });

  it('is the workspace’s own', async () => {
    const other = await newWorkspace(own.operator);
    await schedule();

    const { body } = await own.call('GET', '/workspaces', { key: other.key });

    expect(body.data).toMatchObject([{ id: other.id, usage: { posts_today: 0, pending_schedules: 0 } }]);
  });
});
