import { freshCredentials } from '../channels/fresh-credentials.ts';
import { moveChannel } from '../channels/move-channel.ts';
import { pause } from './channel-turn.ts';
import type { LoadedTarget, PublishNeeds } from './publish-target.ts';
import type { Job } from './publisher.ts';
import type { Handle } from './target.ts';

/** What a step is given: the target with all that is known of it, and its channel to work with. */
export function jobOf(
  { target, post, media, channel }: LoadedTarget,
  needs: PublishNeeds,
  step: { readonly handle: Handle; readonly deadlineMs: number; readonly credentials: unknown },
): Job {
  // Events are about the connection as it was last opened, which a renewal changes.
  let opened = channel;
  return {
    target,
    post,
    media,
    channel,
    handle: step.handle,
    deadlineMs: step.deadlineMs,
    clock: needs.clock,
    credentials: async () => step.credentials,
    freshCredentials: async (how) => {
      const fresh = await freshCredentials(opened, how, needs);
      if (fresh.outcome === 'open') opened = fresh.channel;
      return fresh;
    },
    channelEvent: async (event) => void (await moveChannel(needs.table, opened, event)),
    pause: (rest) => pause(target, rest, needs.table),
  };
}

/** Opens the sealed credentials of a channel. */
export async function openCredentials(
  { channel }: Pick<LoadedTarget, 'channel'>,
  { vault }: PublishNeeds,
): Promise<unknown> {
  if (!channel.credentials) throw new Error(`channel ${channel.id} has no credentials`);
  return vault.open(channel.credentials, { workspaceId: channel.workspace_id, channelId: channel.id });
}
