import * as v from 'valibot';
import { type Clock, isoAt } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import { issuePath, issueText } from '../shared/issue-text.ts';
import type { UrlRules } from '../shared/outbound/public-url.ts';
import { RequestError } from '../shared/request-error.ts';
import { text } from '../shared/text.ts';
import { type Channel, type ChannelRow, showChannel } from './channel.ts';
import type { ChannelStore } from './channel-store.ts';
import type { CredentialVault } from './credential-vault.ts';
import { CREDENTIALS, type WebhookCredentials } from './credentials.ts';
import { PLATFORMS } from './platform.ts';
import { checkWebhookSecret } from './webhook-secret.ts';
import { checkWebhookUrl } from './webhook-url.ts';

const HOURS = 'must be 1 to 76 hours';

/** For how long a webhook's deliveries are repeated. */
export const RetryHours = v.pipe(v.number(), v.integer(HOURS), v.minValue(1, HOURS), v.maxValue(76, HOURS));

/** What an operator connects. `credentials` are the platform's tokens; a webhook has a URL and a secret. */
export const ConnectChannelRequest = v.object({
  workspace_id: v.string(),
  platform: v.picklist(PLATFORMS),
  display_name: v.pipe(v.string(), v.trim(), text(1, 200)),
  webhook: v.optional(
    v.object({
      url: v.string(),
      secret: v.string(),
      /** How long after its first attempt a delivery is still repeated: a post may be stale by then. @default 76 */
      retry_hours: v.optional(RetryHours),
    }),
  ),
  credentials: v.optional(v.record(v.string(), v.unknown())),
  business_name: v.optional(v.pipe(v.string(), v.trim(), text(1, 200))),
  /** TikTok only. @default true */
  direct_post: v.optional(v.boolean()),
});
export type ConnectChannelRequest = v.InferOutput<typeof ConnectChannelRequest>;

/** What connecting a channel needs. */
export interface ConnectNeeds {
  readonly channels: ChannelStore;
  readonly vault: CredentialVault;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Set by the local service alone: webhooks may go to loopback addresses over plain http. */
  readonly loopback?: UrlRules['loopback'];
}

const refused = (message: string) => new RequestError('invalid_request', message);

/**
 * Connects a channel to a workspace. Its credentials are sealed before they are stored, for this channel
 * of this workspace alone.
 *
 * @throws {RequestError} invalid_request for missing or unusable parts; not_found without such a workspace.
 */
export async function connectChannel(request: ConnectChannelRequest, needs: ConnectNeeds): Promise<Channel> {
  const { workspace_id, platform, display_name } = request;
  if (request.direct_post !== undefined && platform !== 'tiktok') {
    throw refused(`only a tiktok channel chooses between direct posts and the inbox, not ${platform}`);
  }
  const nowMs = needs.clock();
  const id = needs.newId(nowMs);
  const credentials = partsOf(request, needs);
  const channel: ChannelRow = {
    id,
    workspace_id,
    platform,
    display_name,
    avatar_url: null,
    status: 'active',
    ...(await businessOf(request, needs, nowMs)),
    ...(platform === 'tiktok' && { direct_post: request.direct_post ?? true }),
    ...(credentials.webhook_url !== undefined && { webhook_url: credentials.webhook_url }),
    ...(credentials.retry_hours !== undefined && { retry_hours: credentials.retry_hours }),
    ...(credentials.sealable !== undefined && {
      credentials: await needs.vault.seal(credentials.sealable, { workspaceId: workspace_id, channelId: id }),
    }),
    created_at: isoAt(nowMs),
  };
  if ((await needs.channels.create(channel)) !== 'created') {
    throw new RequestError('not_found', `there is no workspace ${workspace_id}`);
  }
  return showChannel(channel);
}

interface Credentials {
  readonly sealable: unknown;
  readonly webhook_url?: string;
  readonly retry_hours?: number | undefined;
}

type Parts = Pick<ConnectChannelRequest, 'platform' | 'webhook' | 'credentials'>;

/** Checks what a channel is connected with. @throws {RequestError} invalid_request for missing or unusable parts. */
export const partsOf = (request: Parts, needs: Pick<ConnectNeeds, 'loopback'>): Credentials =>
  request.platform === 'custom_webhook' ? webhookParts(request, needs) : socialParts(request);

function webhookParts(
  { webhook, credentials }: Parts,
  { loopback }: Pick<ConnectNeeds, 'loopback'>,
): Credentials {
  if (credentials) throw refused('a custom_webhook channel takes no credentials but its secret');
  if (!webhook) throw refused('a custom_webhook channel needs a url and a secret');
  const url = checkWebhookUrl(webhook.url, { loopback });
  if (url.outcome === 'refused') throw refused(url.message);
  const secret = checkWebhookSecret(webhook.secret);
  if (secret.outcome === 'refused') throw refused(secret.message);
  return {
    webhook_url: url.url,
    retry_hours: webhook.retry_hours,
    sealable: { secret: webhook.secret } satisfies v.InferOutput<typeof WebhookCredentials>,
  };
}

function socialParts({ platform, webhook, credentials }: Parts): Credentials {
  if (webhook) throw refused(`url and secret are for custom_webhook channels, not for ${platform}`);
  // Without them a channel can be composed for; publishing to it says what is missing.
  if (credentials === undefined) return { sealable: undefined };
  const read = v.safeParse(CREDENTIALS[platform], credentials, { message: issueText });
  if (read.success) return { sealable: read.output };
  const problems = read.issues.map((issue) => `${issuePath(issue).join('.') || 'they'} ${issue.message}`);
  throw refused(`the credentials of a ${platform} channel are not complete: ${problems.join('; ')}`);
}

/** A business is known by its name: channels that name the same one belong together. */
async function businessOf(
  { workspace_id, business_name = 'Default' }: ConnectChannelRequest,
  { channels, newId }: ConnectNeeds,
  nowMs: number,
): Promise<Pick<ChannelRow, 'business_id' | 'business_name'>> {
  const known = (await channels.list(workspace_id)).find(
    (channel) => channel.business_name === business_name,
  );
  return { business_id: known?.business_id ?? newId(nowMs), business_name };
}

/**
 * Marks a channel as disconnected: posts to it are skipped from now on. Twice is as good as once.
 *
 * @throws {RequestError} not_found when the workspace has no such channel.
 */
export async function disconnectChannel(
  { workspaceId, channelId }: { workspaceId: string; channelId: string },
  { channels }: Pick<ConnectNeeds, 'channels'>,
): Promise<Channel> {
  const changed = await channels.changeStatus(workspaceId, channelId, 'disconnected');
  if (!changed) throw new RequestError('not_found', `workspace ${workspaceId} has no channel ${channelId}`);
  return showChannel(changed);
}
