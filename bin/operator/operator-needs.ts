import { apiKeyStore } from '../../functions/access/api-key-store.ts';
import { brandKitStore } from '../../functions/captions/brand-kit-store.ts';
import { channelStore } from '../../functions/channels/channel-store.ts';
import { kmsVault } from '../../functions/channels/credential-vault.ts';
import { facebookRecentPosts } from '../../functions/publishing/platforms/facebook/recent-posts.ts';
import { instagramRecentPosts } from '../../functions/publishing/platforms/instagram/recent-posts.ts';
import { platformClient } from '../../functions/publishing/platforms/platform-client.ts';
import { youtubeRecentPosts } from '../../functions/publishing/platforms/youtube/recent-posts.ts';
import { youtubeUrls } from '../../functions/publishing/platforms/youtube/youtube-dialect.ts';
import { dynamoClient, kmsClient, sqsClient } from '../../functions/shared/aws-clients.ts';
import { newId } from '../../functions/shared/ids.ts';
import { guardedRequest } from '../../functions/shared/outbound/guarded-request.ts';
import { dynamoTable } from '../../functions/shared/table/service-table.ts';
import { workspaceStore } from '../../functions/workspaces/workspace-store.ts';
import type { OperatorAccount } from './operator-account.ts';
import { redrive } from './redrive.ts';

/** What the operator's use cases are wired with; nothing is called before one of them runs. */
export function operatorNeeds({ aws, outputs, isLocal, platformApis }: OperatorAccount) {
  const table = dynamoTable(dynamoClient(aws), outputs.TableName);
  const workspaces = workspaceStore(table);
  const sqs = sqsClient(aws);
  const due = { queueUrl: outputs.DueQueueUrl, deadLettersUrl: outputs.DueDeadLettersUrl };
  const publish = { queueUrl: outputs.PublishQueueUrl, deadLettersUrl: outputs.PublishDeadLettersUrl };
  const fetch = { queueUrl: outputs.FetchQueueUrl, deadLettersUrl: outputs.FetchDeadLettersUrl };
  const process = { queueUrl: outputs.ProcessQueueUrl, deadLettersUrl: outputs.ProcessDeadLettersUrl };
  const loopback = isLocal ? ('allowed' as const) : undefined;
  const client = platformClient({ request: guardedRequest, loopback });
  const graphs = { facebook: platformApis.FACEBOOK_API_URL, instagram: platformApis.INSTAGRAM_API_URL };
  return {
    table,
    workspaces,
    workspace: workspaces.find,
    apiKeys: apiKeyStore(table),
    channels: channelStore(table),
    brandKits: brandKitStore(table),
    vault: kmsVault(kmsClient(aws), outputs.CredentialsKeyArn),
    clock: Date.now,
    newId,
    ...(loopback && { loopback }),
    /** The platforms whose posts can be read back. */
    recentPosts: {
      meta_facebook: facebookRecentPosts(client, graphs.facebook, Date.now),
      meta_instagram: instagramRecentPosts(client, graphs, Date.now),
      youtube: youtubeRecentPosts(client, youtubeUrls(platformApis), Date.now),
    },
    /** Puts what a queue's workers gave up on back into it. */
    redrive: {
      due: () => redrive(sqs, due),
      publish: () => redrive(sqs, publish),
      fetch: () => redrive(sqs, fetch),
      process: () => redrive(sqs, process),
    },
  };
}
export type OperatorNeeds = ReturnType<typeof operatorNeeds>;
