import { Construct } from 'constructs';
import type { ReadPostsEnv, WritePostsEnv } from '../../functions/posts/env.ts';
import type { EnvOf } from '../../functions/shared/read-env.ts';
import { Endpoint } from '../constructs/endpoint.ts';
import type { Write } from '../constructs/service-table.ts';
import type { Stage } from '../stages.ts';
import type { Dispatch } from './dispatch.ts';
import type { Media } from './media.ts';
import { authenticate, type Service, WORKSPACE_ROWS } from './service.ts';

interface PostsProps extends Service {
  readonly stage: Stage;
  readonly dispatch: Dispatch;
  readonly media: Media;
}

/** Posts and drafts: creating, reading, changing and removing them. */
export class Posts extends Construct {
  constructor(scope: Construct, id: string, { stage, dispatch, media, ...service }: PostsProps) {
    super(scope, id);
    const { table } = service;
    const { dueQueue, schedules } = dispatch;
    const readEnvironment = { SERVICE_TABLE: table.name, REVIEW_URL: stage.reviewUrl };
    const writeEnvironment = {
      ...readEnvironment,
      UPGRADE_URL: stage.upgradeUrl,
      DUE_QUEUE_URL: dueQueue.queue.queueUrl,
      DUE_QUEUE_ARN: dueQueue.queue.queueArn,
      SCHEDULE_GROUP: schedules.group.scheduleGroupName,
      SCHEDULER_ROLE_ARN: schedules.role.roleArn,
      FETCH_QUEUE_URL: media.fetchQueue.queue.queueUrl,
      MEDIA_URL: media.url,
    };
    const read = () => [authenticate(table), table.read(WORKSPACE_ROWS)];
    const write = (...writes: readonly Write[]) => [...read(), table.write(WORKSPACE_ROWS, ...writes)];
    const fetch = () => media.fetchQueue.send();
    const publish = () => [dueQueue.send(), ...schedules.create(), fetch()];

    new Endpoint<EnvOf<typeof WritePostsEnv>>(this, 'CreatePost', {
      ...service,
      route: 'POST /posts',
      entry: 'posts/create-post',
      environment: writeEnvironment,
      permissions: [...write('PutItem', 'UpdateItem'), ...publish()],
    });
    new Endpoint<EnvOf<typeof WritePostsEnv>>(this, 'CreateDraft', {
      ...service,
      route: 'POST /drafts',
      entry: 'posts/create-draft',
      environment: writeEnvironment,
      permissions: [...write('PutItem'), fetch()],
    });
    new Endpoint<EnvOf<typeof ReadPostsEnv>>(this, 'ListPosts', {
      ...service,
      route: 'GET /posts',
      entry: 'posts/list-posts',
      environment: readEnvironment,
      permissions: [
        ...read(),
        table.query(
          WORKSPACE_ROWS,
          'posts_by_status',
          'targets_by_channel',
          'targets_by_channel_and_status',
          'scheduled',
        ),
      ],
    });
    new Endpoint<EnvOf<typeof ReadPostsEnv>>(this, 'GetPost', {
      ...service,
      route: 'GET /posts/{id}',
      entry: 'posts/get-post',
      environment: readEnvironment,
      permissions: read(),
    });
    new Endpoint<EnvOf<typeof WritePostsEnv>>(this, 'UpdatePost', {
      ...service,
      route: 'PATCH /posts/{id}',
      entry: 'posts/update-post',
      environment: writeEnvironment,
      permissions: [...write('PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'), ...publish()],
    });
    new Endpoint<EnvOf<typeof WritePostsEnv>>(this, 'DeletePost', {
      ...service,
      route: 'DELETE /posts/{id}',
      entry: 'posts/delete-post',
      environment: writeEnvironment,
      permissions: [...write('PutItem', 'UpdateItem', 'DeleteItem'), schedules.delete()],
    });
  }
}
