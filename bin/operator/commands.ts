import * as v from 'valibot';
import { CreateKeyRequest, createKey, revokeKey } from '../../functions/access/create-key.ts';
import { setBrandKit } from '../../functions/captions/set-brand-kit.ts';
import {
  ConnectChannelRequest,
  connectChannel,
  disconnectChannel,
  RetryHours,
} from '../../functions/channels/connect-channel.ts';
import { reconnectChannel } from '../../functions/channels/reconnect-channel.ts';
import { importPosts } from '../../functions/publishing/import-posts.ts';
import { Uuid } from '../../functions/shared/text.ts';
import { createWorkspace } from '../../functions/workspaces/create-workspace.ts';
import { setPlan } from '../../functions/workspaces/set-plan.ts';
import { Limits } from '../../functions/workspaces/workspace.ts';
import { brandKitFile } from './brand-kit-file.ts';
import { type Command, defineCommand } from './command.ts';
import { credentialsFile } from './credentials-file.ts';
import { OperatorError } from './operator-error.ts';

const WholeNumber = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be a whole number'), v.transform(Number));

const limit = <const Limit extends v.GenericSchema<number>>(schema: Limit) =>
  v.optional(v.pipe(WholeNumber, v.number(), schema));

/** The platforms give at most a hundred at once. */
const limitOfPosts = v.pipe(WholeNumber, v.minValue(1), v.maxValue(100));

const createWorkspaceCommand = defineCommand({
  summary: 'Makes a workspace on the default plan.',
  options: v.object({ name: v.string() }),
  run: createWorkspace,
});

const setPlanCommand = defineCommand({
  summary: 'Changes limits of a workspace; those left out stay.',
  options: v.object({
    workspace: Uuid,
    'posts-per-day': limit(Limits.entries.posts_per_day),
    'pending-schedules': limit(Limits.entries.pending_schedules),
    'requests-per-minute': limit(Limits.entries.requests_per_minute),
    'max-file-bytes': limit(Limits.entries.max_file_bytes),
    'ai-budget-cents': limit(Limits.entries.ai_budget_cents),
  }),
  run: ({ workspace, ...changed }, needs) => {
    const named = Object.entries(changed).map(([option, value]) => [option.replaceAll('-', '_'), value]);
    const limits = v.parse(v.partial(Limits), Object.fromEntries(named));
    return setPlan({ workspace_id: workspace, limits }, needs);
  },
});

const createKeyCommand = defineCommand({
  summary: 'Makes an API key, and shows it this one time.',
  options: v.object({
    workspace: Uuid,
    scopes: v.pipe(
      v.string(),
      v.transform((list) => [...new Set(list.split(',').map((scope) => scope.trim()))]),
      CreateKeyRequest.entries.scopes,
    ),
    'expires-at': CreateKeyRequest.entries.expires_at,
    'rate-limit': limit(Limits.entries.requests_per_minute),
  }),
  run: ({ workspace, scopes, 'expires-at': expires_at, 'rate-limit': rate_limit }, needs) =>
    createKey({ workspace_id: workspace, scopes, expires_at, rate_limit }, needs),
});

const revokeKeyCommand = defineCommand({
  summary: 'Revokes an API key at once, by itself or its lookup.',
  options: v.object({ key: v.string() }),
  run: ({ key }, needs) => revokeKey(key, needs),
});

const connectChannelCommand = defineCommand({
  summary:
    'Connects a channel: --url and --secret for a custom_webhook, credentials as a JSON file for others.',
  options: v.object({
    workspace: Uuid,
    platform: ConnectChannelRequest.entries.platform,
    name: ConnectChannelRequest.entries.display_name,
    url: v.optional(v.string()),
    secret: v.optional(v.string()),
    'retry-hours': limit(RetryHours),
    'credentials-file': v.optional(credentialsFile),
    business: ConnectChannelRequest.entries.business_name,
    inbox: v.optional(v.boolean()),
  }),
  run: ({ workspace, platform, name, url, secret, business, inbox, ...more }, needs) => {
    if ((url === undefined) !== (secret === undefined)) {
      throw new OperatorError(
        `--${url === undefined ? 'url' : 'secret'} is missing: --url and --secret go together`,
      );
    }
    return connectChannel(
      {
        workspace_id: workspace,
        platform,
        display_name: name,
        webhook:
          url !== undefined && secret !== undefined
            ? { url, secret, retry_hours: more['retry-hours'] }
            : undefined,
        credentials: more['credentials-file'],
        business_name: business,
        direct_post: inbox ? false : undefined,
      },
      needs,
    );
  },
});

const reconnectChannelCommand = defineCommand({
  summary: 'Connects a channel anew: with --url and --secret a custom_webhook, with credentials the others.',
  options: v.object({
    workspace: Uuid,
    channel: Uuid,
    url: v.optional(v.string()),
    secret: v.optional(v.string()),
    'credentials-file': v.optional(credentialsFile),
  }),
  run: ({ workspace, channel, url, secret, 'credentials-file': credentials }, needs) =>
    reconnectChannel(
      {
        workspace_id: workspace,
        channel_id: channel,
        webhook: url !== undefined && secret !== undefined ? { url, secret } : undefined,
        credentials,
      },
      needs,
    ),
});

const importPostsCommand = defineCommand({
  summary: 'Imports the newest posts of a channel that were published elsewhere, to be seen beside our own.',
  options: v.object({ workspace: Uuid, channel: Uuid, limit: v.optional(limitOfPosts) }),
  run: ({ workspace, channel, limit = 25 }, needs) =>
    importPosts({ workspaceId: workspace, channelId: channel, limit }, needs),
});

const disconnectChannelCommand = defineCommand({
  summary: 'Disconnects a channel: posts to it are skipped from now on.',
  options: v.object({ workspace: Uuid, channel: Uuid }),
  run: ({ workspace, channel }, needs) =>
    disconnectChannel({ workspaceId: workspace, channelId: channel }, needs),
});

const setBrandKitCommand = defineCommand({
  summary: 'Gives a workspace the brand kit of a JSON file, in whose voice captions are tailored.',
  options: v.object({ workspace: Uuid, file: brandKitFile }),
  run: ({ workspace, file }, needs) => setBrandKit({ workspaceId: workspace, kit: file }, needs),
});

const redriveCommand = defineCommand({
  summary: 'Puts dead letters back into their queue, of all queues unless one is named.',
  options: v.object({ queue: v.optional(v.picklist(['due', 'publish', 'fetch', 'process'])) }),
  run: async ({ queue }, { redrive }) => {
    const chosen = queue === undefined ? Object.values(redrive) : [redrive[queue]];
    let redriven = 0;
    for (const run of chosen) redriven += await run();
    return { redriven };
  },
});

/** All commands of the operator, by name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  'create-workspace': createWorkspaceCommand,
  'set-plan': setPlanCommand,
  'create-key': createKeyCommand,
  'revoke-key': revokeKeyCommand,
  'connect-channel': connectChannelCommand,
  'reconnect-channel': reconnectChannelCommand,
  'disconnect-channel': disconnectChannelCommand,
  'import-posts': importPostsCommand,
  'set-brand-kit': setBrandKitCommand,
  redrive: redriveCommand,
};
