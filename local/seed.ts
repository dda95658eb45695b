import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { createKey } from '../functions/access/create-key.ts';
import type { BrandKit } from '../functions/captions/brand-kit.ts';
import { setBrandKit } from '../functions/captions/set-brand-kit.ts';
import { connectChannel } from '../functions/channels/connect-channel.ts';
import { PLATFORMS, type Platform } from '../functions/channels/platform.ts';
import { createWorkspace } from '../functions/workspaces/create-workspace.ts';
import { setPlan } from '../functions/workspaces/set-plan.ts';
import { moveInbox } from './inbox-channels.ts';
import type { OperatorAccess } from './operator-access.ts';
import { fakeCredentials } from './platforms/platform-accounts.ts';
import { SeededWorkspace } from './service-file.ts';
import { readJson, writeJson } from './state-directory.ts';

/** What the seeded channels are called; as somebody's real accounts might be. */
const SOCIAL_NAMES: Readonly<Record<Exclude<Platform, 'custom_webhook'>, string>> = {
  meta_facebook: 'Facebook page',
  meta_instagram: 'Instagram account',
  tiktok: 'TikTok account',
  youtube: 'YouTube channel',
  linkedin_personal: 'LinkedIn member',
  linkedin_company: 'LinkedIn page',
};

/** What is kept of the seed. `inbox_url` is where its webhooks were connected to. */
const SeedFile = v.object({ inbox_url: v.string(), workspaces: v.array(SeededWorkspace) });

/** What a new state directory holds: the first workspace has a channel of every platform. */
const WORKSPACES: readonly { readonly name: string; readonly platforms: readonly Platform[] }[] = [
  {
    name: 'Harbour Bakery',
    platforms: ['custom_webhook', ...PLATFORMS.filter((p) => p !== 'custom_webhook')],
  },
  { name: 'Night Market', platforms: ['custom_webhook'] },
];

/** How the first workspace speaks; the second has no brand kit. */
const BRAND_KIT: BrandKit = {
  voice:
    'Warm and plain, like the person behind the counter. Short sentences. Proud of the craft, never loud.',
  audience: 'Neighbours and visitors of a small harbour town.',
  words_to_use: ['sourdough', 'this morning'],
  words_to_avoid: ['artisanal', 'delicious'],
  hashtags: ['#HarbourBakery', '#FreshBread'],
  emoji_policy: 'sparing',
  language: 'en',
  sign_off: 'See you at the harbour.',
};

/** Roomy, so that trying things out and testing is not what meets a limit. */
const LIMITS = { requests_per_minute: 6000, posts_per_day: 1000, pending_schedules: 1000 } as const;

/**
 * The seeded workspaces: those of an earlier start, or new ones, made with the operator's own use cases.
 * Keys are shown once, when they are made, so they are kept in a file of the owner's.
 */
export async function seeded(
  access: OperatorAccess,
  inboxUrl: string,
  file: string,
): Promise<SeededWorkspace[]> {
  const kept = v.safeParse(SeedFile, readJson(file));
  const [first] = kept.success ? kept.output.workspaces : [];
  const isThere = first !== undefined && (await access.workspaces.find(first.id)) !== undefined;
  if (kept.success && isThere && kept.output.inbox_url !== inboxUrl) {
    await moveInbox(access, kept.output.inbox_url, inboxUrl);
  }
  const workspaces = kept.success && isThere ? kept.output.workspaces : await seed(access, inboxUrl);
  writeJson(file, { inbox_url: inboxUrl, workspaces } satisfies v.InferOutput<typeof SeedFile>);
  return workspaces;
}

async function seed(access: OperatorAccess, inboxUrl: string): Promise<SeededWorkspace[]> {
  const workspaces: SeededWorkspace[] = [];
  for (const [index, { name, platforms }] of WORKSPACES.entries()) {
    const { id } = await createWorkspace({ name }, access);
    await setPlan({ workspace_id: id, limits: LIMITS }, access);
    const keyOf = async (...scopes: ('posts:read' | 'posts:write' | 'media:read')[]) => {
      const workspace = (workspaceId: string) => access.workspaces.find(workspaceId);
      return (await createKey({ workspace_id: id, scopes }, { ...access, workspace })).api_key;
    };
    if (index === 0) await setBrandKit({ workspaceId: id, kit: BRAND_KIT }, access);
    const channels: SeededWorkspace['channels'] = [];
    for (const platform of platforms) {
      channels.push(
        await seedChannel(access, { workspaceId: id, platform, url: `${inboxUrl}/hooks/${index + 1}` }),
      );
    }
    workspaces.push({
      id,
      name,
      api_keys: {
        full: await keyOf('posts:read', 'posts:write', 'media:read'),
        read_only: await keyOf('posts:read', 'media:read'),
      },
      channels,
    });
  }
  return workspaces;
}

async function seedChannel(
  access: OperatorAccess,
  { workspaceId, platform, url }: { workspaceId: string; platform: Platform; url: string },
): Promise<SeededWorkspace['channels'][number]> {
  const isWebhook = platform === 'custom_webhook';
  const { id, display_name } = await connectChannel(
    {
      workspace_id: workspaceId,
      platform,
      display_name: isWebhook ? 'Webhook inbox' : SOCIAL_NAMES[platform],
      ...(platform === 'custom_webhook'
        ? { webhook: { url, secret: randomBytes(32).toString('base64url') } }
        : { credentials: fakeCredentials(platform, access.clock()) }),
    },
    { ...access, loopback: 'allowed' },
  );
  return { id, platform, display_name };
}
