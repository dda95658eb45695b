import * as v from 'valibot';
import { keys, nameOf, type Row } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { ChannelRow } from './channel.ts';

/** The rows of channels. */
export interface ChannelStore {
  create(channel: ChannelRow): Promise<'created' | 'no such workspace'>;
  find(workspaceId: string, channelId: string): Promise<ChannelRow | undefined>;
  /** All channels of a workspace, oldest first. */
  list(workspaceId: string): Promise<ChannelRow[]>;
  changeStatus(
    workspaceId: string,
    channelId: string,
    status: ChannelRow['status'],
  ): Promise<ChannelRow | undefined>;
}

/** Reads a channel's row. */
export const readChannel = (row: Row): ChannelRow => v.parse(ChannelRow, row);

/** Channels over the table. */
export function channelStore(table: ServiceTable): ChannelStore {
  return {
    async create(channel) {
      const committed = await table.commit([
        {
          ConditionCheck: {
            Key: keys.workspace(channel.workspace_id),
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
        {
          Put: {
            Item: { ...keys.channel(channel.workspace_id, channel.id), ...channel },
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ]);
      return committed.outcome === 'committed' ? 'created' : 'no such workspace';
    },

    async find(workspaceId, channelId) {
      const key = keys.channel(workspaceId, channelId);
      const row = (await table.get([key])).get(nameOf(key));
      return row && readChannel(row);
    },

    async list(workspaceId) {
      const channels: ChannelRow[] = [];
      let last: Row | undefined;
      do {
        const page = await table.query({
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :channels)',
          ExpressionAttributeValues: { ':pk': keys.workspace(workspaceId).pk, ':channels': 'CHANNEL#' },
          ExclusiveStartKey: last,
        });
        channels.push(...page.rows.map(readChannel));
        last = page.last;
      } while (last);
      return channels;
    },

    async changeStatus(workspaceId, channelId, status) {
      const updated = await table.update({
        Key: keys.channel(workspaceId, channelId),
        UpdateExpression: 'SET #status = :status',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status },
      });
      return updated.outcome === 'updated' ? readChannel(updated.row) : undefined;
    },
  };
}
