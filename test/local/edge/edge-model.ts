import type { PolicyStatement, ServiceModel } from '../../../local/service-model.ts';

const ACCOUNT = '123456789012';
const REGION = 'eu-west-1';

/** The ARNs of the test's resources. */
export const ARNS = {
  table: `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/ServiceTable`,
  dueQueue: `arn:aws:sqs:${REGION}:${ACCOUNT}:DueQueue`,
  deadQueue: `arn:aws:sqs:${REGION}:${ACCOUNT}:DueDeadLetters`,
  bucket: 'arn:aws:s3:::media',
  key: `arn:aws:kms:${REGION}:${ACCOUNT}:key/CredentialsKey`,
  schedules: `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/Schedules/*`,
  schedulerRole: `arn:aws:iam::${ACCOUNT}:role/SchedulerRole`,
};

/** Everything the test's function may do; tests take permissions away. */
export const STATEMENTS: readonly PolicyStatement[] = [
  {
    ...allow(
      ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem', 'Query', 'BatchGetItem'].map(
        (action) => `dynamodb:${action}`,
      ),
      [ARNS.table],
    ),
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['WS#*'] } },
  },
  allow(['dynamodb:Query'], [`${ARNS.table}/index/due`]),
  allow(['sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'], [ARNS.dueQueue]),
  allow(['s3:GetObject', 's3:PutObject', 's3:DeleteObject'], [`${ARNS.bucket}/*`]),
  allow(['s3:ListBucket'], [ARNS.bucket]),
  allow(['scheduler:CreateSchedule', 'scheduler:GetSchedule', 'scheduler:DeleteSchedule'], [ARNS.schedules]),
  {
    ...allow(['iam:PassRole'], [ARNS.schedulerRole]),
    Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  },
  allow(['kms:Encrypt', 'kms:Decrypt'], [ARNS.key]),
];

/** A small service: one function, a table with an index, a queue, a bucket, a key. */
export function edgeModel(statements: readonly PolicyStatement[] = STATEMENTS): ServiceModel {
  const queue = { visibilityTimeoutSeconds: 30, retentionSeconds: 345_600 };
  const url = (name: string) => `http://127.0.0.1:1/${ACCOUNT}/${name}`;
  return {
    ...{ region: REGION, accountId: ACCOUNT, routes: [], recurring: [], eventSources: [], outputs: {} },
    functions: [
      {
        ...{ logicalId: 'CreatePost', name: 'posts/create-post', roleId: 'CreatePostRole' },
        ...{ bundleDirectory: '', handler: 'index.handler', environment: {}, timeoutSeconds: 30 },
        memoryMegabytes: 512,
      },
    ],
    tables: [
      {
        ...{ logicalId: 'ServiceTable', name: 'ServiceTable', arn: ARNS.table, ttlAttribute: undefined },
        definition: tableDefinition(),
      },
    ],
    buckets: [{ logicalId: 'Media', name: 'media', arn: ARNS.bucket, corsRules: [corsRule()] }],
    queues: [
      {
        ...{ logicalId: 'DueQueue', name: 'DueQueue', arn: ARNS.dueQueue, url: url('DueQueue'), ...queue },
        deadLetter: { arn: ARNS.deadQueue, maxReceiveCount: 2 },
      },
      {
        ...{ logicalId: 'Dead', name: 'DueDeadLetters', arn: ARNS.deadQueue, url: url('DueDeadLetters') },
        ...{ ...queue, deadLetter: undefined },
      },
    ],
    keys: [{ logicalId: 'CredentialsKey', arn: ARNS.key }],
    scheduleGroups: [{ logicalId: 'Schedules', name: 'Schedules', arn: 'unused' }],
    roles: [
      { logicalId: 'CreatePostRole', arn: `arn:aws:iam::${ACCOUNT}:role/CreatePostRole`, statements },
      {
        logicalId: 'SchedulerRole',
        arn: ARNS.schedulerRole,
        statements: [allow(['sqs:SendMessage'], [ARNS.dueQueue])],
      },
    ],
  };
}

/** The statements without one action. */
export function without(action: string): readonly PolicyStatement[] {
  return STATEMENTS.map((statement) => ({
    ...statement,
    Action: statement.Action.filter((each) => each !== action),
  })).filter(({ Action }) => Action.length > 0);
}

function allow(Action: readonly string[], Resource: readonly string[]): PolicyStatement {
  return { Effect: 'Allow', Action, Resource };
}

function corsRule() {
  return { AllowedOrigins: ['*'], AllowedMethods: ['PUT'], AllowedHeaders: ['*'], ExposedHeaders: ['ETag'] };
}

function tableDefinition() {
  const attributes = ['pk', 'sk', 'due_shard', 'wake_at'];
  const keySchema = (partition: string, sort: string) => [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
  return {
    TableName: 'ServiceTable',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keySchema('pk', 'sk'),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'due',
        KeySchema: keySchema('due_shard', 'wake_at'),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  };
}
