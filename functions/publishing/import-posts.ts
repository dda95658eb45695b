import { createHash } from 'node:crypto';
import type { ChannelRow } from '../channels/channel.ts';
import type { ChannelStore } from '../channels/channel-store.ts';
import type { CredentialVault } from '../channels/credential-vault.ts';
import type { Platform } from '../channels/platform.ts';
import type { PostRow, TargetRow } from '../posts/post.ts';
import { postItem, targetItem, targetsOfChannel } from '../posts/post-rows.ts';
import { type Clock, isoAt } from '../shared/clock.ts';
import { firstIdAt } from '../shared/ids.ts';
import { RequestError } from '../shared/request-error.ts';
import { indexes } from '../shared/table/indexes.ts';
import type { Row, RowKey } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import type { DiscoveredPost, RecentPosts } from './platforms/discovered-post.ts';

interface Needs {
  readonly table: ServiceTable;
  readonly channels: ChannelStore;
  readonly vault: CredentialVault;
  readonly clock: Clock;
  /** The platforms whose posts can be read back. */
  readonly recentPosts: Partial<Record<Platform, RecentPosts>>;
}

interface ImportRequest {
  readonly workspaceId: string;
  readonly channelId: string;
  /** How many of the newest posts are looked at. */
  readonly limit: number;
}

/** What came of an import. */
export interface Imported {
  readonly found: number;
  readonly imported: number;
}

/**
 * Imports the newest posts of a channel as `discovered` ones, but for those that we published ourselves. Safe
 * to repeat: a post's id comes from the channel and the platform's own id, so it is imported once.
 *
 * @throws {RequestError} not_found without such a channel; unprocessable where posts cannot be read back.
 */
export async function importPosts(request: ImportRequest, needs: Needs): Promise<Imported> {
  const { workspaceId, channelId, limit } = request;
  const channel = await needs.channels.find(workspaceId, channelId);
  if (!channel) throw new RequestError('not_found', `workspace ${workspaceId} has no channel ${channelId}`);
  const recent = needs.recentPosts[channel.platform];
  if (!recent) {
    const able = Object.keys(needs.recentPosts).join(', ');
    throw new RequestError(
      'unprocessable',
      `posts of ${channel.platform} cannot be read back; those of ${able} can`,
    );
  }
  if (!channel.credentials)
    throw new RequestError('unprocessable', `channel ${channelId} has no credentials`);

  const found = await recent(await needs.vault.open(channel.credentials, { workspaceId, channelId }), limit);
  const known = await publishedIds(channel, needs.table);
  const others = found.filter(({ externalId, otherIds = [] }) =>
    [externalId, ...otherIds].every((id) => !known.has(id)),
  );
  let imported = 0;
  for (const post of others) if (await putDiscovered(post, channel, needs)) imported += 1;
  return { found: found.length, imported };
}

/** The platform's ids of all posts of a channel that we know already. */
async function publishedIds(channel: ChannelRow, table: ServiceTable): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let last: Row | undefined;
  do {
    const page = await table.query({
      IndexName: indexes.targetsByChannel,
      KeyConditionExpression: 'targets_of_channel = :channel',
      ExpressionAttributeValues: { ':channel': targetsOfChannel(channel.workspace_id, channel.id) },
      ExclusiveStartKey: last,
    });
    const rows = await table.get(page.rows.map(({ pk, sk }): RowKey => ({ pk: String(pk), sk: String(sk) })));
    for (const { external_post_id } of rows.values()) if (external_post_id) ids.add(String(external_post_id));
    last = page.last;
  } while (last);
  return ids;
}

async function putDiscovered(
  { externalId, url, text, publishedAtMs }: DiscoveredPost,
  channel: ChannelRow,
  { table, clock }: Needs,
): Promise<boolean> {
  const id = idOf(channel.id, externalId, publishedAtMs);
  const published = isoAt(publishedAtMs);
  const post: PostRow = {
    id,
    workspace_id: channel.workspace_id,
    status: 'posted',
    caption: text,
    media_ids: [],
    channel_ids: [channel.id],
    scheduled_for: null,
    queued_at: null,
    generation: 1,
    revision: 1,
    open_targets: 0,
    posted_targets: 1,
    source: 'discovered',
    created_at: published,
    updated_at: isoAt(clock()),
  };
  const target: TargetRow = {
    id: idOf(id, channel.id, publishedAtMs),
    workspace_id: channel.workspace_id,
    post_id: id,
    channel_id: channel.id,
    platform: channel.platform,
    status: 'posted',
    caption: null,
    title: null,
    description: null,
    options: null,
    external_post_id: externalId,
    external_post_url: url,
    error_message: null,
  };
  const committed = await table.commit([
    { Put: { Item: postItem(post, null), ConditionExpression: 'attribute_not_exists(pk)' } },
    { Put: { Item: targetItem(target, post) } },
  ]);
  return committed.outcome === 'committed';
}

/** A UUIDv7 of that moment whose other bits come from the names, so that it is the same every time. */
function idOf(name: string, other: string, ms: number): string {
  const hash = createHash('sha256').update(`${name}\n${other}`).digest('hex');
  const [time] = firstIdAt(ms).split('-0000-');
  return `${time}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
