import * as v from 'valibot';
import type { ApiKeyStore } from '../access/api-key-store.ts';
import type { Clock } from '../shared/clock.ts';
import { RequestError } from '../shared/request-error.ts';
import { Limits, type Workspace } from './workspace.ts';
import type { WorkspaceStore } from './workspace-store.ts';

/** The limits an operator changes; those left out stay. */
export const SetPlanRequest = v.object({ workspace_id: v.string(), limits: v.partial(Limits) });
export type SetPlanRequest = v.InferOutput<typeof SetPlanRequest>;

interface Needs {
  readonly workspaces: WorkspaceStore;
  readonly apiKeys: ApiKeyStore;
  readonly clock: Clock;
}

/**
 * Changes what a workspace may do. A new request limit reaches all its keys that have none of their own.
 *
 * @throws {RequestError} not_found without such a workspace; invalid_request when nothing is to be changed.
 */
export async function setPlan(
  { workspace_id, limits }: SetPlanRequest,
  { workspaces, apiKeys, clock }: Needs,
): Promise<Workspace> {
  if (Object.keys(limits).length === 0) {
    throw new RequestError(
      'invalid_request',
      `name at least one limit to change: ${Object.keys(Limits.entries).join(', ')}`,
    );
  }
  const changed = await workspaces.changeLimits(workspace_id, limits);
  const shown = changed && (await workspaces.show(workspace_id, clock()));
  if (!shown) throw new RequestError('not_found', `there is no workspace ${workspace_id}`);
  if (limits.requests_per_minute !== undefined) {
    await apiKeys.changeRateLimit(workspace_id, limits.requests_per_minute);
  }
  return shown;
}
