import { randomBytes } from 'node:crypto';
import { type Clock, isoAt } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import { RequestError } from '../shared/request-error.ts';
import { codePoints } from '../shared/text.ts';
import { DEFAULT_LIMITS } from './workspace.ts';
import type { WorkspaceStore } from './workspace-store.ts';

interface Needs {
  readonly workspaces: WorkspaceStore;
  readonly clock: Clock;
  readonly newId: NewId;
}

const LONGEST_NAME = 200;

/**
 * Makes a workspace on the default plan.
 *
 * @throws {RequestError} invalid_request for a name that is empty or over 200 characters.
 */
export async function createWorkspace(
  { name }: { name: string },
  { workspaces, clock, newId }: Needs,
): Promise<{ id: string; name: string }> {
  const trimmed = name.trim();
  if (trimmed === '' || codePoints(trimmed) > LONGEST_NAME) {
    throw new RequestError(
      'invalid_request',
      `the name of a workspace must have 1 to ${LONGEST_NAME} characters`,
    );
  }
  const nowMs = clock();
  const id = newId(nowMs);
  await workspaces.create({
    id,
    name: trimmed,
    plan: 'default',
    limits: DEFAULT_LIMITS,
    created_at: isoAt(nowMs),
    cursor_key: randomBytes(32).toString('base64url'),
    late_publishing_hours: 6,
  });
  return { id, name: trimmed };
}
