import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type Answer, type Call, eventually, runningService } from './client.ts';
import { describedOperations } from './contract.ts';
import { ID_PLACES, type IdPlace } from './id-places.ts';
import { ownService } from './own-service.ts';
import { newDraft, SAMPLES } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const { call, service } = runningService();
const operator = operatorOf(inject('stateDirectory'));
let mine: TestWorkspace;
let theirs: TestWorkspace;
beforeAll(async () => {
  [mine, theirs] = await Promise.all([newWorkspace(operator), newWorkspace(operator)]);
});

type Owner = 'own' | 'other' | 'random' | 'malformed';

/** An id of each kind of thing, of this owner. */
async function idOf(kind: IdPlace['kind'], owner: Owner): Promise<string> {
  if (owner === 'random') return randomUUID();
  if (owner === 'malformed') return 'not-an-id';
  const workspace = owner === 'own' ? mine : theirs;
  if (kind === 'channel') return workspace.channels.meta_facebook;
  return kind === 'media' ? workspace.newMedia('image') : newDraft({ workspace, call });
}

/** An answer without what names the request, its moment or the very id that was asked for. */
const comparable = ({ status, headers, text }: Answer, id: string) => ({
  status,
  text: text.replaceAll(id, '<id>'),
  headers: [...headers]
    .filter(([name]) => !['x-request-id', 'apigw-requestid', 'date', 'content-length'].includes(name))
    .map(([name, value]) => (name.startsWith('ratelimit-') ? [name] : [name, value])),
});

async function ask({ name, kind, put }: IdPlace, owner: Owner, workspace = mine): Promise<[Answer, string]> {
  const id = await idOf(kind, owner);
  const { path, body } = put(id, workspace.channels.custom_webhook);
  const [method = ''] = name.split(' ');
  const full = path.includes('{draft}') ? path.replace('{draft}', await newDraft({ workspace, call })) : path;
  return [await call(method, full, { key: workspace.key, body }), id];
}

describe('another workspace’s id', () => {
  it.each(ID_PLACES)('is to $name as one that never was', async (place) => {
    const answers = [await ask(place, 'other'), await ask(place, 'random')] as const;
    const [[other, otherId], [random, randomId]] = answers;

    expect(comparable(other, otherId)).toEqual(comparable(random, randomId));
    expect(other.status).toBe(
      place.name.startsWith('GET /posts channel') ? 200 : place.name.endsWith('{id}') ? 404 : 422,
    );
  });

  it.each(ID_PLACES)('and one that is none: $name', async (place) => {
    const [{ status }] = await ask(place, 'malformed');

    expect(status).toBe(place.name.endsWith('{id}') ? 404 : 400);
  });

  it.each(ID_PLACES)('while one’s own is taken: $name', async (place) => {
    const [{ status }] = await ask(place, 'own');

    expect(status).toBeLessThan(300);
  });

  it('is of no use with a key of any scope, and changes nothing over there', async () => {
    const id = await newDraft({ workspace: theirs, call });
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { publish_now: true } : undefined;
      expect((await call(method, `/posts/${id}`, { key: mine.key, body })).status).toBe(404);
    }

    const { body } = await call('GET', `/posts/${id}`, { key: theirs.key });
    expect(body).toMatchObject({ id, status: 'draft', caption: 'a draft' });
    for (const path of ['/posts', '/channels', '/workspaces']) {
      const { text } = await call('GET', path, { key: mine.key });
      expect(text).not.toContain(theirs.id);
      expect(text).not.toContain(theirs.channels.tiktok);
      expect(text).not.toContain(id);
    }
  });

  it('is asked for at every place that takes an id', async () => {
    const named = new Set(ID_PLACES.map(({ name }) => name.split(' ').slice(0, 2).join(' ')));
    for (const [name, described] of describedOperations) {
      const takesIds = /"format":"uuid"/.test(
        JSON.stringify([described.parameters, (await bodySchema(name)) ?? '']),
      );
      if (takesIds) expect(named).toContain(name);
    }
  });
});

describe('the rows of a workspace', () => {
  const ONLY = '0199c3f2-7a41-7c65-9d0e-3b1f2a4c5d6e';
  // As the stack's roles are, but for the one workspace that may be touched.
  const narrowed = (value: string | readonly string[]) =>
    [value].flat().map((pattern) => (pattern === 'WS#*' ? `WS#${ONLY}*` : pattern));
  const own = ownService({
    adjust: (model) => ({
      ...model,
      roles: model.roles.map((role) => ({
        ...role,
        statements: role.statements.map(({ Condition = {}, ...statement }) => ({
          ...statement,
          Condition: mapValues(Condition, (tests) => mapValues(tests, narrowed)),
        })),
      })),
    }),
  });
  /** A workspace of this id, or of one that is not to be touched. */
  const workspaceOf = (id: string = randomUUID()) => {
    const ids = [id];
    return newWorkspace({ ...own.operator, newId: (nowMs) => ids.pop() ?? own.operator.newId(nowMs) });
  };

  it('are all that its requests touch, through indexes too, and what publishes for it', async () => {
    const [workspace, untouchable] = [await workspaceOf(ONLY), await workspaceOf()];
    const asOwner: Call = (method, path, options) =>
      own.call(method, path, { key: workspace.key, ...options });

    for (const [name, sampleOf] of Object.entries(SAMPLES)) {
      const [method = ''] = name.split(' ');
      const sample = await sampleOf({ workspace, call: asOwner, edgeUrl: own.service.edge_url });
      const answer = await asOwner(method, sample.path, { body: sample.body });
      expect([name, answer.status < 300]).toEqual([name, true]);
    }
    const [channel_id = ''] = Object.values(workspace.channels);
    for (const query of [
      'status=draft',
      'scheduled=true',
      `channel_id=${channel_id}`,
      `status=draft&channel_id=${channel_id}`,
    ]) {
      expect([query, (await asOwner('GET', `/posts?${query}`)).status]).toEqual([query, 200]);
    }
    const body = { caption: 'x', channels: [{ id: workspace.channels.meta_facebook }], publish_now: true };
    const { body: post } = await asOwner('POST', '/posts', { body });
    const ended = await eventually(async () => {
      const { status } = (await asOwner('GET', `/posts/${post.id}`)).body;
      return ['queued', 'posting'].includes(status) ? undefined : status;
    });
    // The channel has no credentials; that it fails is written down as well.
    expect(ended).toBe('failed');

    expect((await own.call('GET', '/posts', { key: untouchable.key })).status).toBe(500);
    expect((await own.call('GET', '/posts?status=draft', { key: untouchable.key })).status).toBe(500);
  });
});

const mapValues = <From, To>(of: Readonly<Record<string, From>>, change: (value: From) => To) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]));

/** A sample body says which ids a request takes as well as its schema does, and is no reference to be followed. */
async function bodySchema(name: string): Promise<unknown> {
  const sample = await SAMPLES[name]?.({ workspace: mine, call, edgeUrl: service.edge_url });
  return /"id":"[0-9a-f-]{36}"/.test(JSON.stringify(sample?.body ?? '')) ? { format: 'uuid' } : undefined;
}
