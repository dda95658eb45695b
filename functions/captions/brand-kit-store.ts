import * as v from 'valibot';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { WorkspaceRow } from '../workspaces/workspace.ts';
import { BrandKit } from './brand-kit.ts';

const BrandKitRow = v.object({ brand_kit: BrandKit });

/** The rows of brand kits. */
export interface BrandKitStore {
  /** What tailoring needs to know of a workspace, in one read; undefined where it has no brand kit. */
  find(workspaceId: string): Promise<{ kit: BrandKit; budgetCents: number } | undefined>;
  /** Replaces the kit whole. */
  put(workspaceId: string, kit: BrandKit): Promise<'put' | 'no such workspace'>;
}

/** Brand kits over the table. */
export function brandKitStore(table: ServiceTable): BrandKitStore {
  return {
    async find(workspaceId) {
      const [kitKey, workspaceKey] = [keys.brandKit(workspaceId), keys.workspace(workspaceId)];
      const rows = await table.get([kitKey, workspaceKey]);
      const row = rows.get(nameOf(kitKey));
      if (!row) return undefined;
      const { limits } = v.parse(WorkspaceRow, rows.get(nameOf(workspaceKey)));
      return { kit: v.parse(BrandKitRow, row).brand_kit, budgetCents: limits.ai_budget_cents };
    },

    async put(workspaceId, kit) {
      const { outcome } = await table.commit([
        {
          ConditionCheck: {
            Key: keys.workspace(workspaceId),
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
        { Put: { Item: { ...keys.brandKit(workspaceId), brand_kit: kit } } },
      ]);
      return outcome === 'committed' ? 'put' : 'no such workspace';
    },
  };
}
