import { RequestError } from '../shared/request-error.ts';
import type { BrandKit } from './brand-kit.ts';
import type { BrandKitStore } from './brand-kit-store.ts';

/**
 * Gives a workspace its brand kit, in place of the one it had.
 *
 * @throws {RequestError} not_found without such a workspace.
 */
export async function setBrandKit(
  { workspaceId, kit }: { workspaceId: string; kit: BrandKit },
  { brandKits }: { brandKits: BrandKitStore },
): Promise<BrandKit> {
  const outcome = await brandKits.put(workspaceId, kit);
  if (outcome === 'put') return kit;
  throw new RequestError('not_found', `there is no workspace ${workspaceId}`);
}
