import * as v from 'valibot';
import { defineOperation } from '../shared/http/operation.ts';
import { Channel, showChannel } from './channel.ts';
import type { ChannelStore } from './channel-store.ts';

export const listChannelsOperation = defineOperation({
  id: 'listChannels',
  method: 'GET',
  path: '/channels',
  tag: 'Channels',
  summary: 'List the connected channels',
  description:
    'Every connected social account of the workspace, with what it accepts. Not paginated: all channels fit in one answer.',
  scope: 'none',
  idempotent: false,
  success: {
    status: 200,
    description: 'All channels, oldest first.',
    schema: v.object({ data: v.array(Channel) }),
  },
  refusals: [],
});

/** All channels of the caller's workspace. */
export async function listChannels(
  { caller }: { readonly caller: { readonly workspaceId: string } },
  { channels }: { channels: ChannelStore },
): Promise<{ data: Channel[] }> {
  return { data: (await channels.list(caller.workspaceId)).map(showChannel) };
}
