import { join } from 'node:path';
import type { ServiceModel } from '../service-model.ts';
import { converseByBedrock, converseByRules } from './bedrock/converse.ts';
import { type ModelScript, modelScript } from './bedrock/model-script.ts';
import type { EdgeService } from './call.ts';
import { forwardTo } from './forward.ts';
import { objectStore } from './s3/object-store.ts';
import { type Habits, startScheduler } from './scheduler/start-scheduler.ts';
import { bedrock } from './services/bedrock.ts';
import { dynamoDb } from './services/dynamodb.ts';
import { kms } from './services/kms.ts';
import { s3 } from './services/s3.ts';
import { scheduler } from './services/scheduler.ts';
import { sqs } from './services/sqs.ts';
import { openQueues, type Queues } from './sqs/queues.ts';

/** What the services are started with. */
export interface ServiceOptions {
  readonly model: ServiceModel;
  readonly stateDirectory: string;
  readonly dynamoEndpoint: string;
  readonly now: () => number;
  /** How late and how often EventBridge Scheduler fires. @default up to a minute late, one in twenty twice */
  readonly scheduler?: Partial<Habits>;
  /** Who writes captions: rules of ours, or Amazon Bedrock with the AWS credentials of this process. @default rules */
  readonly captionModel?: 'rules' | 'bedrock' | undefined;
}

/** The services by the name in a signature's scope. */
export interface Services {
  readonly byName: Readonly<Record<string, EdgeService>>;
  readonly queues: Queues;
  readonly modelScript: ModelScript;
  fireDueSchedules(): number;
  close(): void;
}

/** Opens what the edge answers by itself, and the way to DynamoDB. */
export function startServices(options: ServiceOptions): Services {
  const { model, stateDirectory, dynamoEndpoint, now } = options;
  const queues = openQueues(model, stateDirectory, now);
  const schedules = startScheduler({ model, queues, stateDirectory, now, habits: options.scheduler });
  const objects = objectStore(join(stateDirectory, 's3'), now);
  const dynamo = forwardTo(dynamoEndpoint);
  const script = modelScript();
  const converse = options.captionModel === 'bedrock' ? converseByBedrock() : converseByRules(script);

  return {
    byName: {
      dynamodb: dynamoDb(model, dynamo.forward),
      sqs: sqs(queues),
      s3: s3(model, objects),
      scheduler: scheduler(model, schedules),
      kms: kms(model, stateDirectory),
      bedrock: bedrock(model, converse),
    },
    queues,
    modelScript: script,
    fireDueSchedules: schedules.fireDue,
    close: () => {
      schedules.close();
      queues.close();
      objects.close();
      dynamo.close();
    },
  };
}
