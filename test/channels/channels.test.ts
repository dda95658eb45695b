import { beforeEach, describe, expect, it } from 'vitest';
import { type ChannelStore, channelStore } from '../../functions/channels/channel-store.ts';
import {
  type ConnectChannelRequest,
  connectChannel,
  disconnectChannel,
} from '../../functions/channels/connect-channel.ts';
import type { CredentialVault } from '../../functions/channels/credential-vault.ts';
import { listChannels } from '../../functions/channels/list-channels.ts';
import { PLATFORMS } from '../../functions/channels/platform.ts';
import { newId } from '../../functions/shared/ids.ts';
import { createWorkspace } from '../../functions/workspaces/create-workspace.ts';
import { workspaceStore } from '../../functions/workspaces/workspace-store.ts';
import { tableUnderTest } from '../table-under-test.ts';

const NOW = Date.parse('2026-05-01T09:00:00Z');
const SECRET = 'a-signing-secret-0123456789';
const webhook = { url: 'https://hooks.example.com/in', secret: SECRET };
const engine = tableUnderTest();

const tokens = { access_token: 'a-token-nobody-sees', refresh_token: 'refresh' };
const client = { client_id: 'id', client_secret: 'secret' };
const author = 'urn:li:person:1';
/** Complete credentials of each platform but webhooks. */
const CREDENTIALS = {
  meta_facebook: { access_token: tokens.access_token, page_id: '1' },
  meta_instagram: { access_token: tokens.access_token, ig_user_id: '1' },
  tiktok: { ...tokens, client_key: 'key', client_secret: 'secret', open_id: '1' },
  youtube: { ...tokens, ...client },
  linkedin_personal: { ...tokens, ...client, author },
  linkedin_company: { ...tokens, ...client, author: 'urn:li:organization:1' },
};
const SOCIAL = PLATFORMS.filter((platform) => platform !== 'custom_webhook');

/** Seals by writing down for whom, so that a test sees what was sealed and for whom. */
const vault: CredentialVault = {
  seal: async (credentials, owner) => Uint8Array.from(Buffer.from(JSON.stringify({ credentials, owner }))),
  open: async () => expect.unreachable(),
};

/** No two channels of a test are of the same millisecond, whose order nobody promises. */
let ticks = 0;
const tick = () => {
  ticks += 1;
  return NOW + ticks;
};

let channels: ChannelStore;
let workspaceId: string;
beforeEach(async () => {
  channels = channelStore(engine.table);
  workspaceId = await newWorkspace();
});

const newWorkspace = async () =>
  (
    await createWorkspace(
      { name: 'Bakery' },
      { workspaces: workspaceStore(engine.table), clock: () => NOW, newId },
    )
  ).id;

const connect = (request: Partial<ConnectChannelRequest> = {}, loopback?: 'allowed') => {
  const { platform = 'meta_facebook' } = request;
  return connectChannel(
    {
      workspace_id: workspaceId,
      platform,
      display_name: 'Page',
      ...(platform === 'custom_webhook' ? { webhook } : { credentials: CREDENTIALS[platform] }),
      ...request,
    },
    { channels, vault, clock: tick, newId, loopback },
  );
};
const sealedOf = async (channelId: string) => {
  const { credentials } = (await channels.find(workspaceId, channelId)) ?? {};
  return credentials && JSON.parse(Buffer.from(credentials).toString());
};

describe('connectChannel', () => {
  it('connects a webhook with its secret sealed for this very channel', async () => {
    const channel = await connect({ platform: 'custom_webhook' });

    expect(await sealedOf(channel.id)).toEqual({
      credentials: { secret: SECRET },
      owner: { workspaceId, channelId: channel.id },
    });
    expect((await channels.find(workspaceId, channel.id))?.webhook_url).toBe(webhook.url);
    expect(channel).toMatchObject({ platform: 'custom_webhook', status: 'active', avatar_url: null });
  });

  it.each(SOCIAL)('connects %s with its tokens sealed', async (platform) => {
    const channel = await connect({ platform });

    expect(await sealedOf(channel.id)).toMatchObject({ credentials: CREDENTIALS[platform] });
  });

  it('connects a social channel without credentials, to be composed for until it has them', async () => {
    const channel = await connect({ platform: 'tiktok', credentials: undefined });

    expect(channel.status).toBe('active');
    expect((await channels.find(workspaceId, channel.id))?.credentials).toBeUndefined();
  });

  it.each(SOCIAL)('refuses %s with incomplete credentials, and does not repeat them', async (platform) => {
    const refusals = [{}, { access_token: 'a-token-nobody-sees' }].map((credentials) =>
      connect({ platform, credentials }).catch((error: unknown) => error),
    );

    for (const error of await Promise.all(refusals)) {
      expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(platform) });
      expect(JSON.stringify(error)).not.toContain('a-token');
    }
    expect(await channels.list(workspaceId)).toEqual([]);
  });

  it('shows nothing of address and credentials', async () => {
    const shown = JSON.stringify([await connect({ platform: 'custom_webhook' }), await connect()]);

    for (const hidden of ['hooks.example.com', SECRET, 'a-token-nobody-sees', 'workspace_id']) {
      expect(shown).not.toContain(hidden);
    }
  });

  it('puts channels that name the same business together, within their workspace', async () => {
    const acme = await connect({ business_name: 'Acme' });
    const again = await connect({ business_name: 'Acme' });
    const other = await connect();
    const elsewhere = await connect({ workspace_id: await newWorkspace(), business_name: 'Acme' });

    expect(again.business_id).toBe(acme.business_id);
    expect(new Set([acme, other, elsewhere].map(({ business_id }) => business_id)).size).toBe(3);
    expect(other.business_name).toBe('Default');
  });

  it('lets a tiktok channel post directly unless it is told to use the inbox', async () => {
    const [direct, inbox] = [
      await connect({ platform: 'tiktok' }),
      await connect({ platform: 'tiktok', direct_post: false }),
    ];

    expect(direct.accepts.direct_post).toBe(true);
    expect(inbox.accepts.direct_post).toBe(false);
    expect((await connect()).accepts).not.toHaveProperty('direct_post');
  });

  it.each<[string, Partial<ConnectChannelRequest>, string]>([
    [
      'a webhook without an address',
      { platform: 'custom_webhook', webhook: undefined },
      'needs a url and a secret',
    ],
    ['a webhook with tokens', { platform: 'custom_webhook', credentials: {} }, 'takes no credentials'],
    ['an address for a page', { webhook }, 'url and secret are for custom_webhook channels'],
    ['an inbox for a page', { direct_post: false }, 'only a tiktok channel'],
    [
      'plain http',
      { platform: 'custom_webhook', webhook: { ...webhook, url: 'http://hooks.example.com' } },
      'https',
    ],
    [
      'loopback',
      { platform: 'custom_webhook', webhook: { ...webhook, url: 'https://127.0.0.1/' } },
      'public',
    ],
    [
      'a weak secret',
      { platform: 'custom_webhook', webhook: { ...webhook, secret: 'short' } },
      'openssl rand',
    ],
  ])('refuses %s and stores nothing', async (_, request, message) => {
    await expect(connect(request)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message),
    });
    expect(await channels.list(workspaceId)).toEqual([]);
  });

  it('takes a loopback webhook where the local service allows it', async () => {
    const local = { ...webhook, url: 'http://127.0.0.1:3000/hook' };

    await expect(connect({ platform: 'custom_webhook', webhook: local }, 'allowed')).resolves.toBeDefined();
  });

  it('is refused for a workspace that does not exist', async () => {
    const nowhere = newId(NOW);

    await expect(connect({ workspace_id: nowhere })).rejects.toMatchObject({ code: 'not_found' });
    expect(await channels.list(nowhere)).toEqual([]);
  });
});

describe('disconnectChannel', () => {
  const disconnect = (channelId: string, of = workspaceId) =>
    disconnectChannel({ workspaceId: of, channelId }, { channels });

  it('marks the channel, once or twice', async () => {
    const { id } = await connect();

    expect(await disconnect(id)).toMatchObject({ id, status: 'disconnected' });
    expect(await disconnect(id)).toMatchObject({ id, status: 'disconnected' });
    expect((await channels.find(workspaceId, id))?.status).toBe('disconnected');
  });

  it('finds no channel of another workspace, and makes none', async () => {
    const { id } = await connect();
    const other = await newWorkspace();

    await expect(disconnect(id, other)).rejects.toMatchObject({ code: 'not_found' });
    expect(await channels.list(other)).toEqual([]);
    expect((await channels.find(workspaceId, id))?.status).toBe('active');
  });
});

describe('listChannels', () => {
  it('shows all channels of the caller, oldest first, with what each accepts', async () => {
    const connected = [];
    for (const platform of PLATFORMS) connected.push(await connect({ platform }));
    await connect({ workspace_id: await newWorkspace() });

    const { data } = await listChannels({ caller: { workspaceId } }, { channels });

    expect(data).toEqual(connected);
    expect(data.find(({ platform }) => platform === 'youtube')?.accepts).toEqual({
      text_only: false,
      media_kinds: ['video'],
      max_media: 1,
      max_videos: 1,
      image: {},
      video: {},
      caption_limit: 5000,
      options: ['privacy_status', 'category_id', 'tags', 'made_for_kids', 'contains_synthetic_media'],
    });
  });

  it('shows more channels than one answer of the table holds', async () => {
    const large = Uint8Array.from(Buffer.alloc(300_000));
    const { id } = await connect();
    const row = await channels.find(workspaceId, id);
    for (let n = 0; row && n < 8; n += 1)
      await channels.create({ ...row, id: newId(NOW), credentials: large });

    expect((await listChannels({ caller: { workspaceId } }, { channels })).data).toHaveLength(9);
  });
});
