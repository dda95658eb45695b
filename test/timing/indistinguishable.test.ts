import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { newApiKey } from '../../functions/access/api-key.ts';
import { newId } from '../../functions/shared/ids.ts';
import { runningService } from '../system/client.ts';
import { ID_PLACES, type IdPlace } from '../system/id-places.ts';
import { withOtherSecret } from '../system/other-secret.ts';
import { newDraft } from '../system/sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from '../system/test-workspace.ts';
import { compared } from './kolmogorov-smirnov.ts';
import { compareTimes } from './timed.ts';

const { call, service } = runningService();
const operator = operatorOf(inject('stateDirectory'));
let mine: TestWorkspace;
let theirs: TestWorkspace;
beforeAll(async () => {
  [mine, theirs] = await Promise.all([newWorkspace(operator), newWorkspace(operator)]);
});

/** Sends a request and reads its answer, and does nothing besides that would take time. */
async function send(key: string, method: string, path: string, body?: object): Promise<number> {
  const response = await fetch(`${service.base_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Ids of things of the other workspace; every one is asked for many times. */
async function idsOfTheirs(kind: IdPlace['kind']): Promise<string[]> {
  if (kind === 'channel') return Object.values(theirs.channels);
  const make = () => (kind === 'media' ? theirs.newMedia('image') : newDraft({ workspace: theirs, call }));
  return Promise.all([1, 2, 3, 4, 5].map(make));
}

const aMinuteAgo = () => newId(Date.now() - 60_000);
const oneOf = (texts: readonly string[]): string => texts[Math.floor(Math.random() * texts.length)] ?? '';

describe('by the time it takes, nobody tells', () => {
  it.each(ID_PLACES)('another workspace’s id from one that never was: $name', async ({ name, kind, put }) => {
    const [method = ''] = name.split(' ');
    const draft = await newDraft({ workspace: mine, call });
    const [theirIds, noIds] = [await idsOfTheirs(kind), Array.from({ length: 1000 }, aMinuteAgo)];
    const ask = (id: string) => {
      const { path, body } = put(id, mine.channels.custom_webhook);
      return send(mine.key, method, path.replace('{draft}', draft), body);
    };

    const { p } = await compareTimes(name, [() => ask(oneOf(theirIds)), () => ask(oneOf(noIds))]);

    expect(p).toBeGreaterThan(0.01);
  });

  it('a key that is unknown from one with a wrong secret', async () => {
    const known = Array.from({ length: 50 }, () => withOtherSecret(mine.key));
    const unknown = known.map(() => newApiKey().apiKey);
    const ask = (keys: readonly string[]) => async () => {
      const status = await send(oneOf(keys), 'GET', '/workspaces');
      expect(status).toBe(401);
    };

    const { p } = await compareTimes('unknown key and wrong secret', [ask(unknown), ask(known)]);

    expect(p).toBeGreaterThan(0.01);
  });
});

describe('the comparison', () => {
  const drawn = (shift: number) => Array.from({ length: 300 }, () => Math.random() + shift);

  it('tells what is shifted, and does not tell what is not', async () => {
    expect(compared(drawn(0), drawn(0.3)).p).toBeLessThan(1e-6);
    expect(compared([1, 2, 3, 4], [1, 2, 3, 4])).toEqual({ distance: 0, p: 1 });
    // A tenth of a thousand comparisons of the same would be below 0.1.
    const below = Array.from({ length: 1000 }, () => compared(drawn(0), drawn(0)).p).filter((p) => p < 0.1);
    expect(below.length).toBeLessThan(160);
  });

  it('would tell 0.15 ms more', async () => {
    const ask = () => send(mine.key, 'GET', `/posts/${aMinuteAgo()}`);
    const later = async () => {
      const until = performance.now() + 0.15;
      while (performance.now() < until);
      await ask();
    };

    const { p } = await compareTimes('0.15 ms more', [ask, later], { measurements: 1 });

    expect(p).toBeLessThan(0.01);
  });
});
