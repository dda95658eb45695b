import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { ChannelRow } from '../functions/channels/channel.ts';
import { readChannel } from '../functions/channels/channel-store.ts';
import { WebhookCredentials } from '../functions/channels/credentials.ts';
import { keys } from '../functions/shared/table/keys.ts';
import type { SecretsOf } from './inbox/verify-signature.ts';
import type { OperatorAccess } from './operator-access.ts';

/** The signing secrets of all channels that deliver to the inbox, by path below it; read anew when asked. */
export function inboxSecrets(access: OperatorAccess, inboxUrl: string): SecretsOf {
  let byPath = new Map<string, string[]>();
  const load = async (): Promise<void> => {
    const loaded = new Map<string, string[]>();
    for (const channel of await channelsBelow(access, inboxUrl)) {
      if (!channel.credentials || !channel.webhook_url) continue;
      const owner = { workspaceId: channel.workspace_id, channelId: channel.id };
      const { secret } = v.parse(WebhookCredentials, await access.vault.open(channel.credentials, owner));
      const path = new URL(channel.webhook_url).pathname.slice(new URL(inboxUrl).pathname.length);
      loaded.set(path, [...(loaded.get(path) ?? []), secret]);
    }
    byPath = loaded;
  };
  return async (path, isFresh) => {
    if (isFresh || !byPath.has(path)) await load();
    return byPath.get(path) ?? [];
  };
}

/** Lets channels deliver to the inbox where it is now, after a start on another port. */
export async function moveInbox(access: OperatorAccess, fromUrl: string, toUrl: string): Promise<void> {
  for (const channel of await channelsBelow(access, fromUrl)) {
    await access.documents.send(
      new UpdateCommand({
        TableName: access.tableName,
        Key: keys.channel(channel.workspace_id, channel.id),
        UpdateExpression: 'SET webhook_url = :url',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':url': channel.webhook_url?.replace(fromUrl, toUrl) },
      }),
    );
  }
}

/** A scan, as no client and no function ever needs: a local table is small. */
async function channelsBelow(
  { documents, tableName }: OperatorAccess,
  inboxUrl: string,
): Promise<ChannelRow[]> {
  const channels: ChannelRow[] = [];
  let last: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new ScanCommand({
        TableName: tableName,
        FilterExpression: 'begins_with(webhook_url, :inbox)',
        ExpressionAttributeValues: { ':inbox': `${inboxUrl}/` },
        ExclusiveStartKey: last,
      }),
    );
    channels.push(...(page.Items ?? []).map(readChannel));
    last = page.LastEvaluatedKey;
  } while (last);
  return channels;
}
