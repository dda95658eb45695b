import { Construct } from 'constructs';
import type { ReadPostsEnv, WritePostsEnv } from '../../functions/posts/env.ts';
import type { EnvOf } from '../../functions/shared/read-env.ts';
import { Endpoint } from '../constructs/endpoint.ts';
import type { Stage } from '../stages.ts';
import type { Dispatch } from './dispatch.ts';
import { authenticate, type Service, WORKSPACE_ROWS } from './service.ts';

export interface PostsProps extends Service {
  readonly stage: Stage;
  readonly dispatch: Dispatch;
}

/** Posts and drafts: creating, reading, changing and removing them. */
export class Posts extends Construct {
  constructor(scope: Construct, id: string, { stage, dispatch, ...service }: PostsProps) {
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
    };
    const read = () => [authenticate(table), table.read(WORKSPACE_ROWS)];

    new Endpoint<EnvOf<typeof WritePostsEnv>>(this, 'CreatePost', {
      ...service,
      route: 'POST /posts',
      entry: 'posts/create-post',
      environment: writeEnvironment,
      permissions: [
        ...read(),
        table.write(WORKSPACE_ROWS, 'PutItem', 'UpdateItem', 'ConditionCheckItem'),
        dueQueue.send(),
        ...schedules.create(),
      ],
    });
    new Endpoint<EnvOf<typeof ReadPostsEnv>>(this, 'GetPost', {
      ...service,
      route: 'GET /posts/{id}',
      entry: 'posts/get-post',
      environment: readEnvironment,
      permissions: read(),
    });
  }
}
