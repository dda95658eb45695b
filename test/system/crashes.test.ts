import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FaultRule } from '../../local/edge/faults.ts';
import type { Answer } from './client.ts';
import { ownService } from './own-service.ts';
import { inAnHour, newDraft, upload } from './sample-requests.ts';
import { newWorkspace, type TestWorkspace } from './test-workspace.ts';

const own = ownService();
let workspace: TestWorkspace;
beforeEach(async () => {
  // The runtime says of every crash that it happened; here each one is meant.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  workspace = await newWorkspace(own.operator);
});
afterEach(() => own.service.edge.faults.clear());

const call: typeof own.call = (method, path, options) =>
  own.call(method, path, { key: workspace.key, ...options });
const composed = (more: object = {}) => ({
  caption: randomUUID(),
  channels: [{ id: workspace.channels.custom_webhook }],
  ...more,
});

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

interface Write {
  readonly name: string;
  readonly principal: string;
  /** A new request of this kind, with all that must be there before. */
  readonly request: () => Promise<Request>;
  /** What one execution adds: posts in the list, posts of the day, posts that wait, media. */
  readonly adds: readonly [posts: number, today: number, waiting: number, media?: number];
}

const onDraft = async (method: string, body?: object): Promise<Request> => ({
  method,
  path: `/posts/${await newDraft({ workspace, call })}`,
  ...(body && { body }),
});

async function onQueued(): Promise<Request> {
  const { body } = await call('POST', '/posts', { body: composed({ scheduled_for: inAnHour() }) });
  return { method: 'DELETE', path: `/posts/${body.id}` };
}

const created = async (path: string, more: object = {}): Promise<Request> => ({
  method: 'POST',
  path,
  body: composed(more),
});

const WRITES: readonly Write[] = [
  { name: 'a draft', principal: 'posts/create-draft', request: () => created('/drafts'), adds: [1, 0, 0] },
  {
    name: 'a scheduled post',
    principal: 'posts/create-post',
    request: () => created('/posts', { scheduled_for: inAnHour() }),
    adds: [1, 1, 1],
  },
  {
    name: 'a post for now',
    principal: 'posts/create-post',
    request: () => created('/posts', { publish_now: true }),
    adds: [1, 1, 0],
  },
  {
    name: 'an edit',
    principal: 'posts/update-post',
    request: () =>
      onDraft('PATCH', { caption: randomUUID(), channels: [{ id: workspace.channels.meta_facebook }] }),
    adds: [0, 0, 0],
  },
  {
    name: 'an edit that schedules',
    principal: 'posts/update-post',
    request: () => onDraft('PATCH', { scheduled_for: inAnHour() }),
    adds: [0, 1, 1],
  },
  { name: 'a removal', principal: 'posts/delete-post', request: () => onDraft('DELETE'), adds: [-1, 0, 0] },
  {
    name: 'a registered upload',
    principal: 'media/create-media',
    request: async () => ({
      method: 'POST',
      path: '/media',
      body: { key: await upload({ workspace, call }) },
    }),
    adds: [0, 0, 0, 1],
  },
  { name: 'an unscheduling', principal: 'posts/delete-post', request: onQueued, adds: [0, 0, -1] },
];

const send = ({ method, path, body }: Request, idempotencyKey: string) =>
  call(method, path, { body, idempotencyKey });

/** How many items a list has, page by page. */
async function lengthOf(path: string): Promise<number> {
  let length = 0;
  let cursor = '';
  do {
    const page: Answer = await call('GET', `${path}?limit=100${cursor && `&cursor=${cursor}`}`);
    length += page.body.data.length;
    cursor = page.body.next_cursor ?? '';
  } while (cursor);
  return length;
}

async function counted(): Promise<readonly number[]> {
  const { body } = await call('GET', '/workspaces');
  const { posts_today, pending_schedules } = body.data[0].usage;
  return [await lengthOf('/posts'), posts_today, pending_schedules, await lengthOf('/media')];
}

/** What there is more than before. */
async function added(before: readonly number[]): Promise<readonly number[]> {
  return (await counted()).map((each, index) => each - (before[index] ?? 0));
}

const expectedOf = ([posts, today, waiting, media = 0]: Write['adds']) => [posts, today, waiting, media];

/** Performs one such request; its status, and its AWS calls as rules that hit each of them and no other. */
async function callsOf({ request, principal }: Write) {
  const { headers, status } = await send(await request(), randomUUID());
  const { calls } = own.service.edge.counts.report(headers.get('x-request-id') ?? '');
  const seen = new Map<string, number>();
  const rules = calls
    .filter((each) => each.principal === principal)
    .map(({ service, operation }) => {
      const nth = (seen.get(operation) ?? 0) + 1;
      seen.set(operation, nth);
      return { service: service as FaultRule['service'], operation, nth };
    });
  return { calls: rules, status };
}

// Each crash starts its function anew, which takes its time on a busy machine.
describe('a crash before or after any AWS call, and then a retry, is one execution', {
  timeout: 90_000,
}, () => {
  it.each(WRITES)('of $name', async (write) => {
    const { principal, request, adds } = write;
    const { calls, status: success } = await callsOf(write);
    expect(success).toBeLessThan(300);
    expect(calls.length).toBeGreaterThanOrEqual(3);

    for (const at of calls) {
      for (const fault of ['crash-before', 'crash-after'] as const) {
        const asked = await request();
        const before = await counted();
        const idempotencyKey = randomUUID();
        own.service.edge.faults.set([{ principal, ...at, fault, times: 1 }]);

        const crashed = await send(asked, idempotencyKey);
        const [rule] = own.service.edge.faults.list();
        own.service.edge.faults.clear();
        const retried = await send(asked, idempotencyKey);
        const repeated = await send(asked, idempotencyKey);

        const where = `${fault} ${at.service} ${at.operation} ${at.nth}`;
        expect([where, rule?.hits, crashed.status]).toEqual([where, 1, 503]);
        expect([where, retried.status]).toEqual([where, success]);
        expect([where, repeated.text === retried.text]).toEqual([where, true]);
        expect([where, await added(before)]).toEqual([where, expectedOf(adds)]);
      }
    }
  });
});

describe('a reply that is lost, and what AWS retries by itself', () => {
  it.each(WRITES)('are one execution too, of $name', async (write) => {
    const { principal, request, adds } = write;
    const asked = await request();
    const before = await counted();
    // The SDK asks again by itself, so the client notices nothing.
    own.service.edge.faults.set([
      { principal, operation: 'TransactWriteItems', fault: 'lose-reply', times: 1 },
    ]);

    const answer = await send(asked, randomUUID());

    expect(own.service.edge.faults.list()[0]?.hits).toBe(1);
    expect(answer.status).toBeLessThan(300);
    expect(await added(before)).toEqual(expectedOf(adds));
  });
});

describe('queues and schedules that fail', () => {
  it.each([
    ['sqs', { publish_now: true }],
    ['scheduler', { scheduled_for: inAnHour() }],
  ] as const)('do not fail the request: %s', async (service, timing) => {
    own.service.edge.faults.set([{ service, fault: 'error-5xx', principal: 'posts/create-post' }]);

    const answer = await call('POST', '/posts', { body: composed(timing) });

    expect(answer).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(own.service.edge.faults.list()[0]?.hits).toBeGreaterThan(0);
  });
});
