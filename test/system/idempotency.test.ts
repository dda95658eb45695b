import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type Answer, type Call, runningService } from './client.ts';
import { inAnHour, newDraft } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const { call: anyone } = runningService();
const operator = operatorOf(inject('stateDirectory'));
let workspace: TestWorkspace;
let other: TestWorkspace;
beforeAll(async () => {
  [workspace, other] = await Promise.all([newWorkspace(operator), newWorkspace(operator)]);
});
const call: Call = (method, path, options) => anyone(method, path, { key: workspace.key, ...options });
const composed = (caption: string) => ({ caption, channels: [{ id: workspace.channels.custom_webhook }] });

const AT_ONCE = 50;
const times = <T>(make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, n) => make(n)));
const statusesOf = (answers: readonly Answer[]) =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );
const used = async (): Promise<{ posts_today: number; pending_schedules: number }> =>
  (await call('GET', '/workspaces')).body.data[0].usage;
const captionsOf = async (): Promise<string[]> =>
  (await call('GET', '/posts?limit=100')).body.data.map(({ caption }: { caption: string }) => caption);

describe('fifty times the same request at once', () => {
  it.each(['/drafts', '/posts'])('has one effect and one answer: POST %s', async (path) => {
    const caption = randomUUID();
    const idempotencyKey = randomUUID();
    const before = await used();
    const body = { ...composed(caption), ...(path === '/posts' && { scheduled_for: inAnHour() }) };

    const answers = await times(() => call('POST', path, { body, idempotencyKey }));

    expect(statusesOf(answers)).toEqual({ 202: AT_ONCE });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
    expect((await captionsOf()).filter((each) => each === caption)).toHaveLength(1);
    const slots = path === '/posts' ? 1 : 0;
    expect(await used()).toEqual({
      ...before,
      posts_today: before.posts_today + slots,
      pending_schedules: before.pending_schedules + slots,
    });
  });

  it('has one effect and one answer: PATCH and DELETE', async () => {
    const id = await newDraft({ workspace, call });
    const [edit, removal] = [randomUUID(), randomUUID()];

    const edited = await times(() =>
      call('PATCH', `/posts/${id}`, { body: { caption: 'once' }, idempotencyKey: edit }),
    );
    const removed = await times(() => call('DELETE', `/posts/${id}`, { idempotencyKey: removal }));

    for (const [answers, action] of [
      [edited, undefined],
      [removed, 'deleted'],
    ] as const) {
      expect(statusesOf(answers)).toEqual({ 200: AT_ONCE });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]?.body.action).toBe(action);
    }
  });
});

describe('fifty different requests with one key at once', () => {
  it('have one effect, and 49 conflicts', async () => {
    const idempotencyKey = randomUUID();
    const caption = randomUUID();

    const answers = await times((n) =>
      call('POST', '/drafts', { body: composed(`${caption} ${n}`), idempotencyKey }),
    );

    expect(statusesOf(answers)).toEqual({ 202: 1, 409: AT_ONCE - 1 });
    const conflicts = answers.filter(({ status }) => status === 409);
    expect(new Set(conflicts.map(({ body }) => body.error.code))).toEqual(new Set(['idempotency_conflict']));
    expect((await captionsOf()).filter((each) => each.startsWith(caption))).toHaveLength(1);
  });

  it('are different also by path and method', async () => {
    const [one, two] = await Promise.all([newDraft({ workspace, call }), newDraft({ workspace, call })]);
    const idempotencyKey = randomUUID();

    expect((await call('DELETE', `/posts/${one}`, { idempotencyKey })).status).toBe(200);
    expect((await call('DELETE', `/posts/${two}`, { idempotencyKey })).status).toBe(409);
    expect((await call('PATCH', `/posts/${one}`, { idempotencyKey, body: { caption: 'x' } })).status).toBe(
      409,
    );
    expect((await call('POST', '/drafts', { idempotencyKey, body: composed('x') })).status).toBe(409);
    expect((await call('GET', `/posts/${two}`)).status).toBe(200);
  });
});

describe('a repeated request', () => {
  it('is the same however its JSON is written', async () => {
    const idempotencyKey = randomUUID();
    const id = workspace.channels.custom_webhook;

    const first = await call('POST', '/drafts', {
      idempotencyKey,
      body: `{"caption":"é","channels":[{"id":"${id}"}]}`,
    });
    const again = await call('POST', '/drafts', {
      idempotencyKey,
      body: ` { "channels" : [ { "id": "${id}" } ],\n "caption": "\\u00e9" } `,
    });

    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('gets its first answer whatever has become of the post since', async () => {
    const idempotencyKey = randomUUID();
    const body = { ...composed('first'), scheduled_for: inAnHour() };
    const first = await call('POST', '/posts', { body, idempotencyKey });
    await call('DELETE', `/posts/${first.body.id}`);
    await call('DELETE', `/posts/${first.body.id}`);

    const again = await call('POST', '/posts', { body, idempotencyKey });

    expect(again.text).toBe(first.text);
    expect((await call('GET', `/posts/${first.body.id}`)).status).toBe(404);
  });

  it('gets its answer also with the key that replaced the one of its first time', async () => {
    const [old, idempotencyKey] = [await workspace.newKey(), randomUUID()];
    const first = await call('POST', '/drafts', { key: old, body: composed('rotated'), idempotencyKey });
    await workspace.revoke(old);

    const again = await call('POST', '/drafts', { body: composed('rotated'), idempotencyKey });

    expect(again.text).toBe(first.text);
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('means nothing to another workspace that uses the same key', async () => {
    const idempotencyKey = randomUUID();
    await call('POST', '/drafts', { body: composed('ours'), idempotencyKey });

    const theirs = await call('POST', '/drafts', {
      key: other.key,
      body: { caption: 'theirs', channels: [{ id: other.channels.custom_webhook }] },
      idempotencyKey,
    });

    expect(theirs).toMatchObject({ status: 202, body: { caption: 'theirs' } });
    expect(theirs.headers.has('idempotent-replayed')).toBe(false);
  });

  it.each<[string, number, (path: string) => object]>([
    ['a missing post', 404, () => ({ caption: 'x' })],
    ['an unschedulable time', 422, () => ({ scheduled_for: '2020-01-01T00:00:00Z' })],
  ])('replays a refusal that was an answer: %s', async (_, status, body) => {
    const id = status === 404 ? randomUUID() : await newDraft({ workspace, call });
    const idempotencyKey = randomUUID();
    const ask = () => call('PATCH', `/posts/${id}`, { body: body(id), idempotencyKey });

    const [first, again] = [await ask(), await ask()];

    expect(first.status).toBe(status);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('may be corrected under its key when nothing was executed', async () => {
    const [idempotencyKey, reader] = [randomUUID(), await workspace.newKey({ scopes: ['posts:read'] })];
    const body = { ...composed('corrected'), scheduled_for: inAnHour() };
    await workspace.setLimits({ posts_per_day: 0 });
    const refusals = [
      await call('POST', '/posts', { body: '{', idempotencyKey }),
      await call('POST', '/posts', { body, idempotencyKey, key: reader }),
      await call('POST', '/posts', { body, idempotencyKey, key: null }),
      await call('POST', '/posts', { body, idempotencyKey }),
    ].map(({ status }) => status);
    await workspace.setLimits({ posts_per_day: 1000 });

    const accepted = await call('POST', '/posts', { body, idempotencyKey });

    expect(refusals).toEqual([400, 403, 401, 402]);
    expect(accepted.status).toBe(202);
    expect(accepted.headers.has('idempotent-replayed')).toBe(false);
  });
});

describe('the Idempotency-Key', () => {
  it.each([
    [null, 400],
    ['seven77', 400],
    ['eight888', 202],
    ['x'.repeat(200), 202],
    ['x'.repeat(201), 400],
    ['with space', 400],
    ['"quoted-1"', 202],
  ])('%s is answered %i', async (idempotencyKey, status) => {
    const answer = await call('POST', '/drafts', { body: composed('keyed'), idempotencyKey });

    expect(answer.status).toBe(status);
  });
});
