import { beforeEach, describe, expect, it } from 'vitest';
import { type ApiKeyStore, apiKeyStore } from '../../functions/access/api-key-store.ts';
import { newId } from '../../functions/shared/ids.ts';
import { createWorkspace } from '../../functions/workspaces/create-workspace.ts';
import { listWorkspaces } from '../../functions/workspaces/list-workspaces.ts';
import { setPlan } from '../../functions/workspaces/set-plan.ts';
import { consumeDailyPost, consumePendingSchedule } from '../../functions/workspaces/usage.ts';
import { DEFAULT_LIMITS, type Limits } from '../../functions/workspaces/workspace.ts';
import { type WorkspaceStore, workspaceStore } from '../../functions/workspaces/workspace-store.ts';
import { tableUnderTest } from '../table-under-test.ts';

const NOW = Date.parse('2026-05-01T23:59:59.999Z');
const clock = () => NOW;
const engine = tableUnderTest();
let workspaces: WorkspaceStore;
let apiKeys: ApiKeyStore;
beforeEach(() => {
  workspaces = workspaceStore(engine.table);
  apiKeys = apiKeyStore(engine.table);
});

const make = (name = 'Bakery') => createWorkspace({ name }, { workspaces, clock, newId });
const change = (workspace_id: string, limits: Partial<Limits>) =>
  setPlan({ workspace_id, limits }, { workspaces, apiKeys, clock });
const list = (workspaceId: string, nowMs = NOW) =>
  listWorkspaces({ caller: { workspaceId } }, { workspaces, clock: () => nowMs });

describe('createWorkspace', () => {
  it('makes a workspace on the default plan: 30 posts a day, 100 waiting, 500 MiB, 50 requests a minute', async () => {
    const created = await make('  Bakery ');

    expect(created).toEqual({ id: expect.any(String), name: 'Bakery' });
    expect((await list(created.id)).data).toEqual([
      {
        id: created.id,
        name: 'Bakery',
        plan: 'default',
        limits: {
          posts_per_day: 30,
          pending_schedules: 100,
          requests_per_minute: 50,
          max_file_bytes: 524_288_000,
          ai_budget_cents: 500,
        },
        usage: expect.objectContaining({ posts_today: 0, pending_schedules: 0 }),
        created_at: '2026-05-01T23:59:59.999Z',
      },
    ]);
  });

  it('gives each a sealing key of its own, of 32 bytes', async () => {
    const [one, two] = await Promise.all(
      [make(), make()].map(async (made) => workspaces.find((await made).id)),
    );

    expect(Buffer.from(one?.cursor_key ?? '', 'base64url')).toHaveLength(32);
    expect(one?.cursor_key).not.toBe(two?.cursor_key);
  });

  it.each(['', '  ', 'x'.repeat(201)])('refuses the name %j', async (name) => {
    await expect(make(name)).rejects.toThrow(/name of a workspace must have 1 to 200 characters/);
  });

  it('counts characters as a person does', async () => {
    await expect(make('😀'.repeat(200))).resolves.toBeDefined();
  });

  it('never writes over a workspace', async () => {
    const { id } = await make();
    const row = await workspaces.find(id);

    await expect(row && workspaces.create(row)).rejects.toThrow('exists already');
  });
});

describe('setPlan', () => {
  it('changes what is named and leaves the rest', async () => {
    const { id } = await make();

    const changed = await change(id, { posts_per_day: 0, max_file_bytes: 1 });

    expect(changed).toMatchObject({
      plan: 'custom',
      limits: { ...DEFAULT_LIMITS, posts_per_day: 0, max_file_bytes: 1 },
    });
    expect((await list(id)).data).toEqual([changed]);
  });

  it('can change every limit', async () => {
    const { id } = await make();
    const limits: Limits = {
      posts_per_day: 1,
      pending_schedules: 2,
      requests_per_minute: 3,
      max_file_bytes: 4,
      ai_budget_cents: 5,
    };

    expect((await change(id, limits)).limits).toEqual(limits);
  });

  it('refuses to change nothing, and says what can be changed', async () => {
    const { id } = await make();

    await expect(change(id, {})).rejects.toThrow(/name at least one limit to change: posts_per_day, /);
  });

  it('makes no workspace where there is none', async () => {
    const id = newId(NOW);

    await expect(change(id, { posts_per_day: 1 })).rejects.toMatchObject({ code: 'not_found' });
    expect(await workspaces.find(id)).toBeUndefined();
  });
});

describe('listWorkspaces', () => {
  it('shows the caller’s own workspace and no other', async () => {
    const [mine] = [await make('Mine'), await make('Theirs')];

    expect((await list(mine.id)).data.map(({ name }) => name)).toEqual(['Mine']);
  });

  it('shows no sealing key', async () => {
    const { id } = await make();

    expect(JSON.stringify(await list(id))).not.toContain((await workspaces.find(id))?.cursor_key);
  });

  it('shows what is used of the day, which begins anew at midnight UTC, and of the waiting places', async () => {
    const { id } = await make();
    const workspace = await workspaces.find(id);
    if (!workspace) throw new Error('was made');
    const effects = [consumeDailyPost(workspace, '', NOW), consumePendingSchedule(workspace, '')];
    await engine.table.commit(effects.map(({ write }) => write));

    expect((await list(id)).data[0]?.usage).toMatchObject({ posts_today: 1, pending_schedules: 1 });
    expect((await list(id, NOW + 1)).data[0]?.usage).toMatchObject({ posts_today: 0, pending_schedules: 1 });
  });
});
