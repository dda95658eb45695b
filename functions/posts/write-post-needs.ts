import type * as v from 'valibot';
import { apiKeyStore } from '../access/api-key-store.ts';
import type { FetchMessage } from '../media/media-messages.ts';
import { newUploadId } from '../media/new-upload-id.ts';
import { dynamoClient, schedulerClient, sqsClient } from '../shared/aws-clients.ts';
import { newId } from '../shared/ids.ts';
import { guardedDownload } from '../shared/outbound/guarded-download.ts';
import { sqsQueue } from '../shared/queues/queue.ts';
import { eventBridgeScheduler } from '../shared/scheduler.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { dispatch } from './dispatch.ts';
import type { DueMessage } from './due.ts';
import type { WritePostsEnv } from './env.ts';

/** What the functions that write posts are wired with, from their environment. */
export function writePostNeeds(env: v.InferOutput<typeof WritePostsEnv>) {
  const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
  return {
    table,
    apiKeys: apiKeyStore(table),
    dispatch: dispatch({
      dueQueue: sqsQueue<DueMessage>(sqsClient(), env.DUE_QUEUE_URL),
      scheduler: eventBridgeScheduler(schedulerClient(), {
        groupName: env.SCHEDULE_GROUP,
        queueArn: env.DUE_QUEUE_ARN,
        roleArn: env.SCHEDULER_ROLE_ARN,
      }),
    }),
    fetchQueue: sqsQueue<FetchMessage>(sqsClient(), env.FETCH_QUEUE_URL),
    urls: {
      getUrl: guardedDownload,
      ownHosts: [new URL(env.MEDIA_URL).hostname],
      clock: Date.now,
      newUploadId,
    },
    clock: Date.now,
    newId,
    reviewUrl: env.REVIEW_URL,
    upgradeUrl: env.UPGRADE_URL,
  };
}
