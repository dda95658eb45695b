import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, isoAt, SECOND_MS } from '../shared/clock.ts';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import type { ChannelRow } from './channel.ts';
import type { ChannelEvent } from './channel-states.ts';
import { readChannel } from './channel-store.ts';
import type { CredentialVault } from './credential-vault.ts';
import { moveChannel } from './move-channel.ts';

/** What a platform says to a refresh. */
export type Refreshed =
  | { readonly outcome: 'refreshed'; readonly credentials: unknown }
  /** The grant is gone for good, in the platform's own explicit words. */
  | { readonly outcome: 'gone'; readonly event: ChannelEvent; readonly code: string }
  /** Anything else: the credentials stay as they are. */
  | { readonly outcome: 'failed'; readonly code: string };

/** How a platform's credentials are renewed. */
export interface Refresh {
  isDue(credentials: unknown, nowMs: number): boolean;
  /** Called by one worker at a time for a channel. */
  refresh(credentials: unknown): Promise<Refreshed>;
}

/** Credentials to work with, or why there are none. */
export type Fresh =
  | { readonly outcome: 'open'; readonly credentials: unknown; readonly channel: ChannelRow }
  | { readonly outcome: 'gone'; readonly code: string }
  | { readonly outcome: 'failed'; readonly code: string };

interface Needs {
  readonly table: ServiceTable;
  readonly vault: CredentialVault;
  readonly clock: Clock;
}

/** Longer than a refresh may take: name resolution, one call of 20 s, and the write after it. */
const LEASE_MS = 45 * SECOND_MS;
const LOOK_AGAIN_MS = 200;

/**
 * The channel's credentials, renewed if that is due, or if `refused` says that the platform no longer takes
 * the ones in that row. However many workers ask at once, one calls the platform: it holds a lease on the
 * channel's row, and the others wait for what it writes. What it writes carries its fence; it never replaces
 * newer credentials, and never good ones by nothing.
 */
export async function freshCredentials(
  channel: ChannelRow,
  { refresh, refused }: { refresh: Refresh; refused: boolean },
  needs: Needs,
): Promise<Fresh> {
  const seen = channel.credentials;
  let current = channel;
  const giveUpMs = needs.clock() + 2 * LEASE_MS;
  for (;;) {
    const opened = await open(current, needs);
    const isNewer = !isSame(seen, current.credentials);
    const isWanted = refused ? !isNewer : refresh.isDue(opened, needs.clock());
    if (!isWanted) return { outcome: 'open', credentials: opened, channel: current };
    const lease = await takeLease(current, needs);
    if (lease.outcome === 'taken') return renew(lease.channel, opened, { refresh, refused }, needs);
    if (needs.clock() >= giveUpMs) return { outcome: 'failed', code: 'refresh_busy' };
    if (isSame(lease.channel.credentials, current.credentials)) await sleep(LOOK_AGAIN_MS);
    current = lease.channel;
  }
}

async function renew(
  channel: ChannelRow,
  opened: unknown,
  { refresh, refused }: { refresh: Refresh; refused: boolean },
  needs: Needs,
): Promise<Fresh> {
  const answer = await refresh.refresh(opened);
  switch (answer.outcome) {
    case 'refreshed': {
      const fence = channel.token_fence ?? 0;
      const owner = { workspaceId: channel.workspace_id, channelId: channel.id };
      const credentials = await needs.vault.seal(answer.credentials, owner);
      const written = await moveChannel(needs.table, channel, 'token_refreshed', {
        credentials,
        fence,
      });
      // Lost to a later refresh or a new connection: those credentials are the ones that hold.
      const now = written ?? (await reread(channel, needs));
      return {
        outcome: 'open',
        credentials: written ? answer.credentials : await open(now, needs),
        channel: now,
      };
    }
    case 'gone': {
      const moved = await moveChannel(needs.table, channel, answer.event, {
        fence: channel.token_fence ?? 0,
      });
      if (moved) return { outcome: 'gone', code: answer.code };
      const now = await reread(channel, needs);
      return now.status === 'active'
        ? { outcome: 'open', credentials: await open(now, needs), channel: now }
        : { outcome: 'gone', code: answer.code };
    }
    case 'failed': {
      await letGo(channel, needs);
      // Due is early: what is there still holds for a while, unless the platform has just refused it.
      return refused ? answer : { outcome: 'open', credentials: opened, channel };
    }
  }
}

async function takeLease(
  channel: ChannelRow,
  { table, clock }: Needs,
): Promise<{ outcome: 'taken' | 'busy'; channel: ChannelRow }> {
  const nowMs = clock();
  const updated = await table.update({
    Key: keys.channel(channel.workspace_id, channel.id),
    UpdateExpression:
      'SET token_fence = if_not_exists(token_fence, :none) + :one, token_lease_until = :until',
    ConditionExpression:
      'credentials = :seen AND (attribute_not_exists(token_lease_until) OR token_lease_until <= :now)',
    ExpressionAttributeValues: {
      ':seen': channel.credentials,
      ':none': 0,
      ':one': 1,
      ':now': isoAt(nowMs),
      ':until': isoAt(nowMs + LEASE_MS),
    },
  });
  if (updated.outcome === 'updated') return { outcome: 'taken', channel: readChannel(updated.row) };
  if (!updated.current) throw new Error(`channel ${channel.id} is gone`);
  return { outcome: 'busy', channel: readChannel(updated.current) };
}

async function letGo(channel: ChannelRow, { table }: Needs): Promise<void> {
  await table.update({
    Key: keys.channel(channel.workspace_id, channel.id),
    UpdateExpression: 'REMOVE token_lease_until',
    ConditionExpression: 'token_fence = :fence',
    ExpressionAttributeValues: { ':fence': channel.token_fence },
  });
}

async function open(channel: ChannelRow, { vault }: Needs): Promise<unknown> {
  if (!channel.credentials) throw new Error(`channel ${channel.id} has no credentials`);
  return vault.open(channel.credentials, { workspaceId: channel.workspace_id, channelId: channel.id });
}

async function reread(channel: ChannelRow, { table }: Needs): Promise<ChannelRow> {
  const key = keys.channel(channel.workspace_id, channel.id);
  return readChannel((await table.get([key])).get(nameOf(key)) ?? {});
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
