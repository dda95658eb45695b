import { setTimeout as sleep } from 'node:timers/promises';
import { kmsVault } from '../channels/credential-vault.ts';
import { mediaFileStore } from '../media/media-file-store.ts';
import { dynamoClient, kmsClient, s3Client, sqsClient } from '../shared/aws-clients.ts';
import { newId } from '../shared/ids.ts';
import { guardedRequest } from '../shared/outbound/guarded-request.ts';
import { sqsQueue } from '../shared/queues/queue.ts';
import { worker } from '../shared/queues/worker.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { logger, metrics } from '../shared/telemetry.ts';
import { PublishTargetEnv } from './env.ts';
import { publishingEvents } from './events.ts';
import { facebookPublisher } from './platforms/facebook/facebook-publisher.ts';
import { instagramPublisher } from './platforms/instagram/instagram-publisher.ts';
import { linkedinPublisher } from './platforms/linkedin/linkedin-publisher.ts';
import { platformClient } from './platforms/platform-client.ts';
import { tiktokPublisher } from './platforms/tiktok/tiktok-publisher.ts';
import { webhookPublisher } from './platforms/webhook/webhook-publisher.ts';
import { withBreaker } from './platforms/webhook/with-breaker.ts';
import { youtubeUrls } from './platforms/youtube/youtube-dialect.ts';
import { youtubePublisher } from './platforms/youtube/youtube-publisher.ts';
import { publishTarget } from './publish-target.ts';
import { PublishMessage } from './target.ts';
import { targetStore } from './target-store.ts';

const env = readEnv(PublishTargetEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const social = {
  client: platformClient({ request: guardedRequest, loopback: env.LOOPBACK_WEBHOOKS }),
  files: mediaFileStore(s3Client(), { bucket: env.MEDIA_BUCKET, mediaUrl: env.MEDIA_URL }),
  random: Math.random,
  clock: Date.now,
};
const linkedin = linkedinPublisher({
  api: {
    rest: `${env.LINKEDIN_API_URL}/rest`,
    version: env.LINKEDIN_API_VERSION,
    token: env.LINKEDIN_TOKEN_URL,
  },
  ...social,
});
const needs = {
  table,
  targets: targetStore(table),
  vault: kmsVault(kmsClient(), env.CREDENTIALS_KEY_ARN),
  publishQueue: sqsQueue<PublishMessage>(sqsClient(), env.PUBLISH_QUEUE_URL),
  publishers: {
    meta_facebook: facebookPublisher({ graph: env.FACEBOOK_API_URL, ...social }),
    meta_instagram: instagramPublisher({
      urls: { facebook: env.FACEBOOK_API_URL, instagram: env.INSTAGRAM_API_URL },
      ...social,
    }),
    tiktok: tiktokPublisher({ base: env.TIKTOK_API_URL, ...social }),
    youtube: youtubePublisher({ urls: youtubeUrls(env), ...social }),
    linkedin_personal: linkedin,
    linkedin_company: linkedin,
    custom_webhook: withBreaker(
      webhookPublisher({
        send: guardedRequest,
        files: social.files,
        newId,
        random: Math.random,
        loopback: env.LOOPBACK_WEBHOOKS,
      }),
      { table, random: Math.random },
    ),
  },
  events: publishingEvents(logger, metrics),
  clock: Date.now,
  sleep: (ms: number) => sleep(ms),
  random: Math.random,
};

export const handler = worker(PublishMessage, (message, context) =>
  publishTarget(message, Date.now() + context.getRemainingTimeInMillis(), needs),
);
