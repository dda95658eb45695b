import * as v from 'valibot';
import { HOUR_MS } from '../shared/clock.ts';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { WorkspaceRow } from '../workspaces/workspace.ts';
import type { LoadedTarget } from './publish-target.ts';
import type { Publisher, Trouble } from './publisher.ts';
import { MAX_INTERRUPTIONS } from './stages.ts';
import { plannedFor } from './target.ts';

/** What keeps a target from any further step, in the form a step's outcome has. */
export type Obstacle = { readonly outcome: 'refused' | 'skipped' | 'unknown' } & Trouble;

/** What a person reads when only they can find out. */
export const UNKNOWN = 'The platform may have published this; check before posting again.';

/** Below this no workspace's setting makes a post too late, so none need be read. */
const NEVER_TOO_LATE_MS = HOUR_MS / 2;

/**
 * What keeps a target from any step: it fails time and again, its channel is gone, nobody can publish it, or
 * it is too late. A send whose fate is not known makes every end `unknown`: the owner has to look.
 */
export async function obstacleOf(
  { target, post, channel }: LoadedTarget,
  publisher: Publisher | undefined,
  { table, nowMs }: { table: ServiceTable; nowMs: number },
): Promise<Obstacle | undefined> {
  const isInDoubt = target.stage !== 'prepare';
  if (target.interruptions > MAX_INTERRUPTIONS) {
    // Of a send that may be repeated at once, nobody looks for what became of the one before.
    const mayBeOut = isInDoubt || (publisher?.isRepeatable === true && target.sends > 0);
    const message = mayBeOut
      ? UNKNOWN
      : 'We failed to publish this; nothing has gone out. Please publish it again.';
    return { outcome: isInDoubt ? 'unknown' : 'refused', code: 'gave_up', message };
  }
  if (channel.status !== 'active') {
    const reason = channel.status_reason === undefined ? '' : ` (${channel.status_reason})`;
    const message = `The channel is ${channel.status}${reason}; connect it again to publish to it.`;
    const code = `channel_${channel.status}`;
    return isInDoubt
      ? { outcome: 'unknown', code, message: `${message} ${UNKNOWN}` }
      : { outcome: 'skipped', code, message };
  }
  if (!publisher) {
    const message = `Publishing to ${target.platform} is not set up in this deployment.`;
    return { outcome: 'refused', code: 'no_publisher', message };
  }
  if (!channel.credentials) {
    const message = 'The channel has no credentials; connect it again to publish to it.';
    return { outcome: 'refused', code: 'no_credentials', message };
  }
  const lateMs = nowMs - Date.parse(plannedFor(post));
  if (target.sends > 0 || lateMs < NEVER_TOO_LATE_MS) return undefined;
  const key = keys.workspace(post.workspace_id);
  const { late_publishing_hours } = v.parse(WorkspaceRow, (await table.get([key])).get(nameOf(key)));
  if (lateMs <= late_publishing_hours * HOUR_MS) return undefined;
  const message = `This missed its time by ${Math.round(lateMs / HOUR_MS)} hours and was not sent, so that it does not go out stale; publish it again if it still holds.`;
  return { outcome: 'refused', code: 'too_late', message };
}
