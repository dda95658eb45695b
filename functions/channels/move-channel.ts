import { keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import type { ChannelRow } from './channel.ts';
import { CHANNEL_EVENTS, type ChannelEvent, type ChannelMove } from './channel-states.ts';
import { readChannel } from './channel-store.ts';

/** What a refresh brings along. */
interface RefreshResult {
  /** The new credentials, sealed; nothing when there are none. */
  readonly credentials?: Uint8Array;
  readonly fence: number;
}

/**
 * Moves a channel as an event says, unless its connection is another by now than the one in `channel`, which
 * the event is about. A refresh that lost its lease may still write, as long as nobody wrote before it: what
 * it brings is the newest there is.
 *
 * @returns the channel after it; nothing if the event no longer applies.
 */
export async function moveChannel(
  table: ServiceTable,
  channel: ChannelRow,
  event: ChannelEvent,
  refresh?: RefreshResult,
): Promise<ChannelRow | undefined> {
  const { from, to, reason }: ChannelMove = CHANNEL_EVENTS[event];
  const states = Object.fromEntries(from.map((status, index) => [`:from${index}`, status]));
  const isSame = refresh?.credentials
    ? '(token_fence = :fence OR credentials = :seen)'
    : refresh
      ? 'token_fence = :fence AND credentials = :seen'
      : 'credentials = :seen';
  const updated = await table.update({
    Key: keys.channel(channel.workspace_id, channel.id),
    UpdateExpression: [
      `SET #status = :to${refresh?.credentials ? ', credentials = :new' : ''}${reason ? ', status_reason = :reason' : ''}`,
      `REMOVE token_lease_until${reason ? '' : ', status_reason'}`,
    ].join(' '),
    ConditionExpression: `#status IN (${Object.keys(states).join(', ')}) AND ${isSame}`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ...states,
      ':to': to,
      ...(reason && { ':reason': reason }),
      ':seen': channel.credentials,
      ...(refresh && { ':fence': refresh.fence }),
      ...(refresh?.credentials && { ':new': refresh.credentials }),
    },
  });
  return updated.outcome === 'updated' ? readChannel(updated.row) : undefined;
}
