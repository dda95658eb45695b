import * as v from 'valibot';
import type { Clock } from '../shared/clock.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { Workspace } from './workspace.ts';
import type { WorkspaceStore } from './workspace-store.ts';

export const listWorkspacesOperation = defineOperation({
  id: 'listWorkspaces',
  method: 'GET',
  path: '/workspaces',
  tag: 'Workspaces',
  summary: 'List the workspaces of this key',
  description:
    'An API key sees exactly one workspace: with its plan, the limits of the plan, and what is used of them.',
  scope: 'none',
  idempotent: false,
  success: {
    status: 200,
    description: 'The one workspace of the key.',
    schema: v.object({ data: v.array(Workspace) }),
  },
  refusals: [],
});

/** The caller's own workspace, in the shape of a list. */
export async function listWorkspaces(
  { caller }: { readonly caller: { readonly workspaceId: string } },
  { workspaces, clock }: { workspaces: WorkspaceStore; clock: Clock },
): Promise<{ data: Workspace[] }> {
  const workspace = await workspaces.show(caller.workspaceId, clock());
  return { data: workspace ? [workspace] : [] };
}
