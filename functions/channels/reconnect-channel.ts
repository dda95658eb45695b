import { RequestError } from '../shared/request-error.ts';
import { keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { type Channel, showChannel } from './channel.ts';
import { CHANNEL_EVENTS } from './channel-states.ts';
import { readChannel } from './channel-store.ts';
import { type ConnectChannelRequest, type ConnectNeeds, partsOf } from './connect-channel.ts';

/** What a channel is connected with anew. */
export type ReconnectChannelRequest = Pick<
  ConnectChannelRequest,
  'workspace_id' | 'webhook' | 'credentials'
> & {
  readonly channel_id: string;
};

/**
 * Connects a channel anew: it keeps its id and its posts, and is published to again. A refresh that is under
 * way for the credentials before loses to these.
 *
 * @throws {RequestError} not_found without such a channel; invalid_request for unusable credentials.
 */
export async function reconnectChannel(
  request: ReconnectChannelRequest,
  needs: ConnectNeeds & { readonly table: ServiceTable },
): Promise<Channel> {
  const { workspace_id, channel_id } = request;
  const none = () => new RequestError('not_found', `workspace ${workspace_id} has no channel ${channel_id}`);
  const channel = await needs.channels.find(workspace_id, channel_id);
  if (!channel) throw none();
  const { sealable, webhook_url } = partsOf({ ...request, platform: channel.platform }, needs);
  if (sealable === undefined) throw new RequestError('invalid_request', 'the new credentials are missing');
  const owner = { workspaceId: workspace_id, channelId: channel_id };
  const updated = await needs.table.update({
    Key: keys.channel(workspace_id, channel_id),
    UpdateExpression: [
      'SET #status = :to, credentials = :new, token_fence = if_not_exists(token_fence, :none) + :one',
      ...(webhook_url === undefined ? [] : [', webhook_url = :url']),
      ' REMOVE status_reason, token_lease_until, paused_until',
    ].join(''),
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':to': CHANNEL_EVENTS.reconnected.to,
      ':new': await needs.vault.seal(sealable, owner),
      ':none': 0,
      ':one': 1,
      ...(webhook_url !== undefined && { ':url': webhook_url }),
    },
  });
  if (updated.outcome === 'refused') throw none();
  return showChannel(readChannel(updated.row));
}
