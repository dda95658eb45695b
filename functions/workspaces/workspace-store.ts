import * as v from 'valibot';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { aiUsageKey, dayUsageKey, pendingUsageKey, usageNow } from './usage.ts';
import { type Limits, showWorkspace, type Workspace, WorkspaceRow } from './workspace.ts';

/** The rows of workspaces. */
export interface WorkspaceStore {
  create(workspace: WorkspaceRow): Promise<void>;
  find(id: string): Promise<WorkspaceRow | undefined>;
  /** The workspace with what it has used, as clients see it. */
  show(id: string, nowMs: number): Promise<Workspace | undefined>;
  changeLimits(id: string, limits: Partial<Limits>): Promise<WorkspaceRow | undefined>;
}

/** Workspaces over the table. */
export function workspaceStore(table: ServiceTable): WorkspaceStore {
  return {
    async create(workspace) {
      const committed = await table.commit([
        {
          Put: {
            Item: { ...keys.workspace(workspace.id), ...workspace },
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ]);
      if (committed.outcome === 'refused') throw new Error(`a workspace ${workspace.id} exists already`);
    },

    async find(id) {
      const key = keys.workspace(id);
      const row = (await table.get([key])).get(nameOf(key));
      return row && v.parse(WorkspaceRow, row);
    },

    async show(id, nowMs) {
      const key = keys.workspace(id);
      const [day, pending, ai] = [dayUsageKey(id, nowMs), pendingUsageKey(id), aiUsageKey(id, nowMs)];
      const rows = await table.get([key, day, pending, ai]);
      const row = rows.get(nameOf(key));
      const usage = usageNow({
        day: rows.get(nameOf(day)),
        pending: rows.get(nameOf(pending)),
        ai: rows.get(nameOf(ai)),
      });
      return row && showWorkspace(v.parse(WorkspaceRow, row), usage);
    },

    async changeLimits(id, limits) {
      const names = Object.keys(limits);
      const updated = await table.update({
        Key: keys.workspace(id),
        UpdateExpression: `SET #plan = :plan, ${names.map((name) => `limits.#${name} = :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: {
          '#plan': 'plan',
          ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
        },
        ExpressionAttributeValues: {
          ':plan': 'custom',
          ...Object.fromEntries(Object.entries(limits).map(([name, value]) => [`:${name}`, value])),
        },
      });
      return updated.outcome === 'updated' ? v.parse(WorkspaceRow, updated.row) : undefined;
    },
  };
}
