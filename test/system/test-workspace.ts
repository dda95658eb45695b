import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { createKey, revokeKey } from '../../functions/access/create-key.ts';
import { BrandKit } from '../../functions/captions/brand-kit.ts';
import { brandKitStore } from '../../functions/captions/brand-kit-store.ts';
import type { ChannelRow } from '../../functions/channels/channel.ts';
import { PLATFORMS, type Platform } from '../../functions/channels/platform.ts';
import { type MediaRow, mediaItem } from '../../functions/media/media.ts';
import { SCOPES, type Scope } from '../../functions/shared/http/operation.ts';
import { keys, type Row } from '../../functions/shared/table/keys.ts';
import { dynamoTable, type ServiceTable } from '../../functions/shared/table/service-table.ts';
import { createWorkspace } from '../../functions/workspaces/create-workspace.ts';
import { setPlan } from '../../functions/workspaces/set-plan.ts';
import type { Limits } from '../../functions/workspaces/workspace.ts';
import { type OperatorAccess, operatorAccess } from '../../local/operator-access.ts';

/** A workspace of a test's own, so that what others do at the same time changes nothing in it. */
export interface TestWorkspace {
  readonly id: string;
  /** A key with all scopes. */
  readonly key: string;
  /** The id of its channel on each platform. TikTok's posts directly. */
  readonly channels: Readonly<Record<Platform, string>>;
  newKey(options?: { scopes?: readonly Scope[]; rateLimit?: number; expiresAtMs?: number }): Promise<string>;
  revoke(key: string): Promise<void>;
  setLimits(limits: Partial<Limits>): Promise<void>;
  /** null takes it away again. */
  setBrandKit(kit: v.InferInput<typeof BrandKit> | null): Promise<void>;
  newChannel(platform: Platform, row?: Partial<ChannelRow>): Promise<string>;
  /** Registers media without bytes, which is all that posts look at before they are published. */
  newMedia(kind: 'image' | 'video'): Promise<string>;
  /** Changes attributes of a post's row, to bring it into states a client cannot ask for. */
  changePost(postId: string, attributes: Readonly<Record<string, unknown>>): Promise<void>;
}

/** The operator's access to a service, with the table itself. */
export type TestOperator = OperatorAccess & { readonly table: ServiceTable };

/** The operator of the service whose state directory this is. */
export function operatorOf(stateDirectory: string): TestOperator {
  const access = operatorAccess(JSON.parse(readFileSync(join(stateDirectory, 'operator.json'), 'utf8')));
  return { ...access, table: dynamoTable(access.documents, access.tableName) };
}

const ROOMY: Partial<Limits> = {
  requests_per_minute: 100_000,
  posts_per_day: 100_000,
  pending_schedules: 100_000,
};

/** Makes a workspace with a channel of every platform and room for any test. */
export async function newWorkspace(
  access: TestOperator,
  limits: Partial<Limits> = {},
): Promise<TestWorkspace> {
  const { id } = await createWorkspace({ name: 'of a test' }, access);
  await setPlan({ workspace_id: id, limits: { ...ROOMY, ...limits } }, access);

  const newKey: TestWorkspace['newKey'] = async ({ scopes = SCOPES, rateLimit, expiresAtMs } = {}) => {
    const workspace = (workspaceId: string) => access.workspaces.find(workspaceId);
    const request = {
      workspace_id: id,
      scopes: [...scopes],
      ...(rateLimit !== undefined && { rate_limit: rateLimit }),
      ...(expiresAtMs !== undefined && { expires_at: expiresAtMs }),
    };
    return (await createKey(request, { ...access, workspace })).api_key;
  };

  const newChannel: TestWorkspace['newChannel'] = async (platform, row = {}) => {
    const nowMs = access.clock();
    const channelId = access.newId(nowMs);
    await access.channels.create({
      id: channelId,
      workspace_id: id,
      platform,
      display_name: `${platform} of a test`,
      avatar_url: null,
      status: 'active',
      business_id: id,
      business_name: 'Default',
      ...(platform === 'tiktok' && { direct_post: true }),
      created_at: new Date(nowMs).toISOString(),
      ...row,
    });
    return channelId;
  };

  const write = async (item: Row) => void (await access.table.commit([{ Put: { Item: item } }]));
  const channels = await Promise.all(
    PLATFORMS.map(async (platform) => [platform, await newChannel(platform)] as const),
  );
  return {
    id,
    key: await newKey(),
    channels: Object.fromEntries(channels) as Record<Platform, string>,
    newKey,
    newChannel,
    setBrandKit: async (kit) => {
      if (kit) await brandKitStore(access.table).put(id, v.parse(BrandKit, kit));
      else await access.table.commit([{ Delete: { Key: keys.brandKit(id) } }]);
    },
    revoke: async (key) => void (await revokeKey(key, access)),
    setLimits: async (changed) => void (await setPlan({ workspace_id: id, limits: changed }, access)),
    newMedia: async (kind) => {
      const mediaId = access.newId(access.clock());
      await write(mediaItem(readyMedia(id, mediaId, kind), null));
      return mediaId;
    },
    changePost: async (postId, attributes) => {
      const names = Object.keys(attributes);
      await access.table.update({
        Key: keys.post(id, postId),
        UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, attributes[name]])),
      });
    },
  };
}

const readyMedia = (workspaceId: string, id: string, kind: MediaRow['kind']): MediaRow => ({
  id,
  workspace_id: workspaceId,
  kind,
  bytes: 100_000,
  mime: kind === 'image' ? 'image/png' : 'video/mp4',
  filename: null,
  object_key: `${workspaceId}/${id}`,
  etag: '"of-a-test"',
  status: 'ready',
  source_url: null,
  failure: null,
  thumbnail_status: 'ready',
  width: 1080,
  height: 1080,
  duration_ms: kind === 'image' ? null : 10_000,
  thumbnails: null,
  posters: [],
  fence: 0,
  created_at: new Date().toISOString(),
});
