import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { PublishTargetEnv, StartPostEnv, SweepEnv } from '../../functions/publishing/env.ts';
import type { TableEnv } from '../../functions/shared/env.ts';
import type { EnvOf } from '../../functions/shared/read-env.ts';
import { Endpoint } from '../constructs/endpoint.ts';
import { RecurringRun } from '../constructs/recurring-run.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import { WorkQueue } from '../constructs/work-queue.ts';
import type { Stage } from '../stages.ts';
import type { Channels } from './channels.ts';
import { type Dispatch, START_TIMEOUT } from './dispatch.ts';
import type { Media } from './media.ts';
import { watchPublishing } from './publishing-alarms.ts';
import { APP_ROWS, authenticate, DUE_ROWS, type Service, WORKSPACE_ROWS } from './service.ts';

interface PublishingProps extends Service {
  readonly stage: Stage;
  readonly dispatch: Dispatch;
  readonly channels: Channels;
  readonly media: Media;
}

/** One attempt may take 840 s for a large video; Lambda's own limit is 900 s. */
const PUBLISH_TIMEOUT = Duration.seconds(900);
const SWEEP_TIMEOUT = Duration.seconds(55);

/** Sending posts to their platforms: start a post, publish each target, and sweep up what was lost. */
export class Publishing extends Construct {
  readonly publishQueue: WorkQueue;

  constructor(
    scope: Construct,
    id: string,
    { stage, dispatch, channels, media, ...service }: PublishingProps,
  ) {
    super(scope, id);
    const { settings, table } = service;
    const { dueQueue } = dispatch;
    this.publishQueue = new WorkQueue(this, 'PublishQueue', {
      workTimeout: PUBLISH_TIMEOUT,
      impact: 'targets are published late, driven by the sweeper alone.',
      alarms: settings.alarms,
    });
    const queues = {
      DUE_QUEUE_URL: dueQueue.queue.queueUrl,
      PUBLISH_QUEUE_URL: this.publishQueue.queue.queueUrl,
    };

    const startPost = new ServiceFunction<EnvOf<typeof StartPostEnv>>(this, 'StartPost', {
      settings,
      entry: 'publishing/start-post',
      environment: { SERVICE_TABLE: table.name, ...queues },
      permissions: [
        table.read(WORKSPACE_ROWS),
        table.write(WORKSPACE_ROWS, 'UpdateItem'),
        dueQueue.send(),
        this.publishQueue.send(),
      ],
      timeout: START_TIMEOUT,
      impact: 'due posts stay queued and are tried again.',
    });
    dueQueue.feed(startPost, { batchSize: 10, maxConcurrency: stage.maxStartConcurrency });

    const publishTarget = new ServiceFunction<PublishTargetVariables>(this, 'PublishTarget', {
      settings,
      entry: 'publishing/publish-target',
      environment: {
        SERVICE_TABLE: table.name,
        PUBLISH_QUEUE_URL: queues.PUBLISH_QUEUE_URL,
        CREDENTIALS_KEY_ARN: channels.credentialsKey.keyArn,
        MEDIA_BUCKET: media.storage.bucket.bucketName,
        MEDIA_URL: media.url,
        ...stage.platformApis,
      },
      permissions: [
        table.read(WORKSPACE_ROWS),
        table.write(WORKSPACE_ROWS, 'PutItem', 'UpdateItem', 'DeleteItem'),
        this.publishQueue.send(),
        table.read(APP_ROWS),
        table.write(APP_ROWS, 'UpdateItem'),
        channels.decryptCredentials(),
        channels.encryptCredentials(),
        media.storage.read('media/'),
      ],
      timeout: PUBLISH_TIMEOUT,
      impact: 'targets stay unpublished and are tried again.',
    });
    // One at a time: an attempt may use the whole timeout.
    this.publishQueue.feed(publishTarget, { batchSize: 1, maxConcurrency: stage.maxPublishConcurrency });

    const sweep = new ServiceFunction<EnvOf<typeof SweepEnv>>(this, 'Sweep', {
      settings,
      entry: 'publishing/sweep',
      environment: {
        SERVICE_TABLE: table.name,
        ...queues,
        FETCH_QUEUE_URL: media.fetchQueue.queue.queueUrl,
        PROCESS_QUEUE_URL: media.processQueue.queue.queueUrl,
      },
      permissions: [
        table.query(DUE_ROWS, 'due'),
        table.write(WORKSPACE_ROWS, 'UpdateItem'),
        dueQueue.send(),
        this.publishQueue.send(),
        media.fetchQueue.send(),
        media.processQueue.send(),
      ],
      timeout: SWEEP_TIMEOUT,
      impact: 'posts and media whose message or schedule was lost are not driven on.',
    });
    new Endpoint<EnvOf<typeof TableEnv>>(this, 'ListAttempts', {
      ...service,
      route: 'GET /posts/{id}/attempts',
      entry: 'publishing/list-attempts',
      environment: { SERVICE_TABLE: table.name },
      permissions: [authenticate(table), table.read(WORKSPACE_ROWS)],
    });
    new RecurringRun(this, 'EveryMinute', {
      run: sweep,
      impact: 'The sweeper has not run for 5 minutes: posts whose message or schedule was lost are stuck.',
      runbook: 'the-sweeper-does-not-run',
      alarms: settings.alarms,
    });
    watchPublishing(this, settings);
  }
}

/** LOOPBACK_WEBHOOKS is for the local service alone: a deployed stage never sends to loopback addresses. */
type PublishTargetVariables = Omit<EnvOf<typeof PublishTargetEnv>, 'LOOPBACK_WEBHOOKS'>;
