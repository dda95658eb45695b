import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { CountsReport } from '../../local/edge/counts.ts';
import { type Answer, type Call, runningService } from './client.ts';
import { type KnownPost, writePosts } from './many-posts.ts';
import { newDraft } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const COUNT = 300;

const { call: anyone, service } = runningService();
const operator = operatorOf(inject('stateDirectory'));
let workspace: TestWorkspace;
let other: TestWorkspace;
let known: readonly KnownPost[];
beforeAll(async () => {
  [workspace, other] = await Promise.all([newWorkspace(operator), newWorkspace(operator)]);
  known = (await writePosts(operator, workspace, COUNT)).toReversed();
});
const call: Call = (method, path, options) => anyone(method, path, { key: workspace.key, ...options });

type Filters = Readonly<Record<string, string>>;
const list = (filters: Filters = {}, options: Parameters<Call>[2] = {}) =>
  call('GET', `/posts?${new URLSearchParams(filters)}`, options);
const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);

/** All pages of a list, one after the other. */
async function pagesOf(
  filters: Filters,
  between: () => Promise<unknown> = async () => {},
): Promise<Answer[]> {
  const pages: Answer[] = [];
  let cursor: string | null = null;
  do {
    const page: Answer = await list({ ...filters, ...(cursor !== null && { cursor }) });
    expect(page.status).toBe(200);
    expect(page.body.has_more).toBe(page.body.next_cursor !== null);
    pages.push(page);
    cursor = page.body.next_cursor;
    await between();
  } while (cursor !== null);
  return pages;
}

/** What the interface says a list holds, from what the test has written. */
function expected({ status, scheduled, channel_id, before, after }: Filters): string[] {
  return known
    .filter(
      (post) =>
        (status === undefined || post.status === status) &&
        (scheduled === undefined || (post.status === 'queued' && post.scheduledFor !== null)) &&
        (channel_id === undefined || post.channelIds.includes(channel_id)) &&
        (before === undefined || post.createdAtMs < Date.parse(before)) &&
        (after === undefined || post.createdAtMs > Date.parse(after)),
    )
    .map(({ id }) => id);
}

const at = (index: number, offsetMs = 0) =>
  new Date((known[index]?.createdAtMs ?? 0) + offsetMs).toISOString();

describe('a list of posts', () => {
  it('is newest first, each post once, page by page', async () => {
    for (const limit of ['1', '7', '100']) {
      const since = { after: at(limit === '1' ? 20 : COUNT - 1, -1) };
      const pages = await pagesOf({ limit, ...since });
      expect(pages.flatMap(idsOf)).toEqual(expected(since));
      expect(pages.slice(0, -1).every(({ body }) => body.data.length === Number(limit))).toBe(true);
    }
  });

  it.each(['0', '-1', '101', '1000', '1.5', 'many', ''])('has 25 where the limit is "%s"', async (limit) => {
    expect((await list({ limit })).body.data).toHaveLength(25);
    expect((await call('GET', '/posts')).body.data).toHaveLength(25);
  });

  it('misses nothing and shows nothing twice while posts are written and removed', async () => {
    const busy = await newWorkspace(operator);
    const before = (await writePosts(operator, busy, 60)).toReversed().map(({ id }) => id);
    const made: string[] = [];
    const churn = async () => {
      const ids = await Promise.all([1, 2, 3].map(() => newDraft({ workspace: busy, call })));
      made.push(...ids);
      await call('DELETE', `/posts/${ids[0]}`, { key: busy.key });
    };

    const shown: string[] = [];
    let cursor = '';
    do {
      const page = await list({ limit: '9', ...(cursor && { cursor }) }, { key: busy.key });
      shown.push(...idsOf(page));
      cursor = page.body.next_cursor ?? '';
      await churn();
    } while (cursor);

    expect(shown.filter((id) => !made.includes(id))).toEqual(before);
    expect(new Set(shown).size).toBe(shown.length);
  });
});

describe('filters', () => {
  const combinations = (): Filters[] => {
    const [first = '', second = ''] = Object.values(workspace.channels);
    const status: Filters[] = [{}, { status: 'draft' }, { status: 'queued' }, { status: 'posted' }];
    const scheduled: Filters[] = [{}, { scheduled: 'true' }];
    const channel: Filters[] = [{}, { channel_id: first }, { channel_id: second.toUpperCase() }];
    const times: Filters[] = [
      {},
      { before: at(100) },
      { after: at(120) },
      { before: at(30), after: at(150) },
    ];
    return status.flatMap((a) =>
      scheduled.flatMap((b) => channel.flatMap((c) => times.map((d) => ({ ...a, ...b, ...c, ...d })))),
    );
  };

  it('hold all together, whatever the combination', async () => {
    const all = combinations();
    for (const filters of all) {
      const lower = {
        ...filters,
        ...(filters.channel_id && { channel_id: filters.channel_id.toLowerCase() }),
      };
      const pages = await pagesOf({ ...filters, limit: '90' });
      expect([filters, pages.flatMap(idsOf)]).toEqual([filters, expected(lower)]);
    }
    expect(all.length).toBeGreaterThan(90);
  });

  it('by time are strict, to the millisecond, in any zone', async () => {
    const [tenth, twelfth] = [known[10]?.id, known[12]?.id];

    expect(idsOf(await list({ before: at(10), after: at(12), limit: '100' }))).toEqual([known[11]?.id]);
    const wider = idsOf(await list({ before: at(10, 1), after: at(12, -1) }));
    expect(wider).toEqual([tenth, known[11]?.id, twelfth]);
    const inTokyo = `${new Date(Date.parse(at(10)) + 32_400_000).toISOString().slice(0, -1)}+09:00`;
    expect(idsOf(await list({ before: inTokyo, limit: '1' }))).toEqual([known[11]?.id]);
    expect(idsOf(await list({ after: at(0) }))).toEqual([]);
  });

  it.each([
    ['status', 'lost'],
    ['status', ''],
    ['scheduled', 'false'],
    ['channel_id', 'x'],
    ['before', '2026-02-30T00:00:00Z'],
    ['before', '2026-01-01'],
    ['after', '2026-01-01T00:00:00'],
    ['after', 'yesterday'],
    ['cursor', ''],
  ])('that make no sense are refused: %s=%s', async (name, value) => {
    const { status, body } = await list({ [name]: value });

    expect(status).toBe(400);
    expect(body.error.message).toContain(name);
  });

  it('by another workspace’s channel find nothing, as by one that never was', async () => {
    const answers = await Promise.all(
      [other.channels.tiktok, crypto.randomUUID()].map((channel_id) => list({ channel_id })),
    );

    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({ data: [], has_more: false, next_cursor: null });
    }
  });

  it('read hardly more than they show', async () => {
    const [channel_id = ''] = Object.values(workspace.channels);
    const shapes: readonly (readonly [Filters, number])[] = [
      [{ status: 'draft' }, 1.05],
      [{ channel_id }, 1.05],
      [{ scheduled: 'true' }, 1.05],
      [{ status: 'draft', channel_id }, 1.5],
      [{ scheduled: 'true', channel_id }, 1.5],
      [{ channel_id, before: at(10), after: at(200) }, 1.5],
    ];
    for (const [filters, most] of shapes) {
      const answer = await list({ ...filters, limit: '25' });
      expect([filters, answer.body.data.length]).toEqual([filters, 25]);
      const ratio = (await entriesRead(answer)) / answer.body.data.length;
      expect([filters, ratio]).toEqual([filters, expect.toSatisfy((value: number) => value <= most)]);
    }
  });
});

/** How many index entries the queries of a request looked at. */
async function entriesRead({ headers }: Answer): Promise<number> {
  const response = await fetch(`${service.edge_url}/__edge/counts?request_id=${headers.get('x-request-id')}`);
  const { calls } = (await response.json()) as CountsReport;
  return calls
    .filter(({ operation }) => operation === 'Query')
    .reduce((sum, { items_read }) => sum + items_read, 0);
}

describe('a cursor', () => {
  it('is good for its own list alone', async () => {
    const filters = { status: 'draft', limit: '5' };
    const { body } = await list(filters);
    const cursor: string = body.next_cursor;
    const elsewhere = await Promise.all([
      list({ limit: '5', cursor }),
      list({ status: 'queued', cursor }),
      list({ ...filters, channel_id: workspace.channels.tiktok, cursor }),
      list({ ...filters, before: at(0), cursor }),
      list({ ...filters, cursor }, { key: other.key }),
    ]);

    expect(elsewhere.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect((await list({ ...filters, limit: '9', cursor })).status).toBe(200);
    const renewed = await workspace.newKey();
    expect((await list({ ...filters, cursor }, { key: renewed })).status).toBe(200);
  });

  it('is refused after any change', async () => {
    const cursor: string = (await list({ limit: '5' })).body.next_cursor;
    const changed = [
      ...Array.from({ length: 40 }, (_, n) => flipped(cursor, Math.floor((n * cursor.length) / 40), n % 6)),
      cursor.slice(0, -1),
      cursor.slice(1),
      `${cursor}A`,
      `${cursor}.`,
      cursor.toLowerCase(),
      'x'.repeat(6000),
      'e30.e30.e30.e30.e30',
      '....',
    ].filter((text) => text !== cursor);

    const answers = await Promise.all(changed.map((text) => list({ limit: '5', cursor: text })));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
function flipped(cursor: string, index: number, bit: number): string {
  const value = BASE64URL.indexOf(cursor[index] ?? '');
  return value < 0
    ? cursor
    : cursor.slice(0, index) + BASE64URL[value ^ (1 << bit)] + cursor.slice(index + 1);
}
