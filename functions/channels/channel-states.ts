import { CHANNEL_STATUSES, type ChannelRow } from './channel.ts';

type ChannelStatus = ChannelRow['status'];

/** What an event does to a channel. `reason` is for its owner, where the new status alone says too little. */
export interface ChannelMove {
  readonly from: readonly ChannelStatus[];
  readonly to: ChannelStatus;
  readonly reason?: string;
}

/**
 * The states of a channel as data: what can happen to a connection, in which states, and what it is then.
 * An event in another state changes nothing. Only `active` channels are published to.
 * docs/architecture.md draws this table.
 */
export const CHANNEL_EVENTS = {
  /** The platform said so of the token itself; nothing else counts, least of all a refresh that failed. */
  token_expired: { from: ['active'], to: 'expired' },
  /** The platform said that its user, or itself, took the permission back. */
  access_revoked: { from: ['active', 'expired'], to: 'revoked' },
  /** May come after the platform refused the token before it, from a refresh that was under way then. */
  token_refreshed: { from: ['active', 'expired', 'revoked'], to: 'active' },
  /** A webhook's endpoint took no delivery for five days. */
  endpoint_silent: {
    from: ['active'],
    to: 'expired',
    reason: 'its endpoint has taken no delivery for five days',
  },
  reconnected: { from: CHANNEL_STATUSES, to: 'active' },
  disconnected: { from: CHANNEL_STATUSES, to: 'disconnected' },
} as const satisfies Record<string, ChannelMove>;
export type ChannelEvent = keyof typeof CHANNEL_EVENTS;
