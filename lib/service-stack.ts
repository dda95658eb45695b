import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Alarms } from './constructs/alarms.ts';
import type { Bundles } from './constructs/bundles.ts';
import { HttpRoutes } from './constructs/http-routes.ts';
import { ServiceTable } from './constructs/service-table.ts';
import { Captions } from './features/captions.ts';
import { Channels } from './features/channels.ts';
import { Dispatch } from './features/dispatch.ts';
import { Media } from './features/media.ts';
import { MediaStorage } from './features/media-storage.ts';
import { Posts } from './features/posts.ts';
import { PublicHost } from './features/public-host.ts';
import { Publishing } from './features/publishing.ts';
import { Reference } from './features/reference.ts';
import { TABLE_INDEXES } from './features/service.ts';
import { UploadGateway } from './features/upload-gateway.ts';
import { Workspaces } from './features/workspaces.ts';
import type { Stage } from './stages.ts';

/** What every path of the API begins with. */
const BASE_PATH = '/api/v1';

interface ServiceStackProps {
  readonly stage: Stage;
  readonly bundles: Bundles;
}

/** The whole service: what it stores, what it does, and where it is reached. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { stage, bundles }: ServiceStackProps) {
    super(scope, id, {
      description: `Social post publishing service, ${stage.name}`,
      terminationProtection: stage.keepsData,
    });
    const alarms = stage.hasAlarms ? new Alarms(this, 'Alarms') : undefined;
    const table = new ServiceTable(this, 'Table', { ...stage, indexes: TABLE_INDEXES });
    const routes = new HttpRoutes(this, 'Http', { ...stage, basePath: BASE_PATH });
    const storage = new MediaStorage(this, 'Media', { stage });
    const settings = { ...stage, bundles, alarms, metricsNamespace: 'SocialPosts' };
    const service = { settings, table, routes };
    const uploads = stage.hasUploadGateway
      ? new UploadGateway(this, 'UploadGateway', { settings, apiUrl: routes.url })
      : undefined;
    const host = new PublicHost(this, 'PublicHost', {
      ...{ routes, storage, basePath: BASE_PATH },
      uploads: uploads?.origin,
    });

    new Workspaces(this, 'Workspaces', service);
    const channels = new Channels(this, 'Channels', { ...service, stage });
    const media = new Media(this, 'MediaLibrary', { ...service, stage, storage, url: host.mediaUrl });
    const dispatch = new Dispatch(this, 'Dispatch', { alarms });
    new Posts(this, 'Posts', { ...service, stage, dispatch, media });
    new Captions(this, 'Captions', { ...service, stage });
    const { publishQueue } = new Publishing(this, 'Publishing', {
      ...service,
      stage,
      dispatch,
      channels,
      media,
    });
    new Reference(this, 'Reference', service);

    this.tell({
      ApiUrl: host.url + BASE_PATH,
      MediaUrl: host.mediaUrl,
      TableName: table.name,
      MediaBucketName: storage.bucket.bucketName,
      CredentialsKeyArn: channels.credentialsKey.keyArn,
      DueQueueUrl: dispatch.dueQueue.queue.queueUrl,
      DueDeadLettersUrl: dispatch.dueQueue.deadLetters.queueUrl,
      PublishQueueUrl: publishQueue.queue.queueUrl,
      PublishDeadLettersUrl: publishQueue.deadLetters.queueUrl,
      FetchQueueUrl: media.fetchQueue.queue.queueUrl,
      FetchDeadLettersUrl: media.fetchQueue.deadLetters.queueUrl,
      ProcessQueueUrl: media.processQueue.queue.queueUrl,
      ProcessDeadLettersUrl: media.processQueue.deadLetters.queueUrl,
      ...(alarms && { AlarmTopicArn: alarms.topic.topicArn }),
    });
  }

  /** Outputs are what operators and the operator CLI go by. */
  private tell(outputs: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
