import { describe, expect, it } from 'vitest';
import { permissionsOf } from './permissions-of.ts';
import { idIn, nameOf, ofType, resourcesOf } from './synthesized.ts';

const resources = resourcesOf('production');
const functions = ofType(resources, 'AWS::Lambda::Function');
const rolesOfFunctions = new Map(
  functions.map(({ Properties }) => [idIn(Properties.Role), String(Properties.Description)]),
);

const onTable = (action: string, resource: string, partitions: string) =>
  `dynamodb:${action} ${resource} if ForAllValues:StringLike dynamodb:LeadingKeys ${partitions}`;
const rows = (partitions: string, ...actions: readonly string[]) =>
  actions.map((action) => onTable(action, 'Table', partitions));
const index = (partitions: string, name: string) => [onTable('Query', `Table/index/${name}`, partitions)];
const authenticate = rows('KEY#*', 'UpdateItem');
const read = rows('WS#*', 'BatchGetItem', 'Query');
const write = (...actions: readonly string[]) => rows('WS#*', ...actions);
const consume = (queue: string) => [
  `sqs:ReceiveMessage ${queue}`,
  `sqs:DeleteMessage ${queue}`,
  `sqs:GetQueueAttributes ${queue}`,
];
const sendDue = 'sqs:SendMessage DispatchDueQueue';
const sendPublish = 'sqs:SendMessage PublishingPublishQueue';
const sendFetch = 'sqs:SendMessage MediaLibraryFetchQueue';
const sendProcess = 'sqs:SendMessage MediaLibraryProcessQueue';
const objects = (action: string, ...prefixes: readonly string[]) =>
  prefixes.map((prefix) => `s3:${action} MediaBucket/${prefix}/*`);
const writeObjects = (...prefixes: readonly string[]) => [
  ...objects('PutObject', ...prefixes),
  ...objects('AbortMultipartUpload', ...prefixes),
];
const seeAbsence = 's3:ListBucket MediaBucket';
const schedules = 'scheduler:schedule/Service-Dispatch-PostSchedules-Group-E8D6BC3F/*';
const createSchedule = [
  `scheduler:CreateSchedule ${schedules}`,
  'iam:PassRole DispatchPostSchedulesRole if StringEquals iam:PassedToService scheduler.amazonaws.com',
];

const bedrock = 'arn:AWS::Partition:bedrock:';
const captionProfile = `${bedrock}us-east-1:AWS::AccountId:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0`;

/** All that may happen, whole: a permission more or less, anywhere, has to be written down here. */
const MATRIX: Readonly<Record<string, readonly string[]>> = {
  'workspaces/list-workspaces': [...authenticate, ...read],
  'channels/list-channels': [...authenticate, ...read],
  'posts/create-post': [
    ...authenticate,
    ...read,
    ...write('PutItem', 'UpdateItem'),
    sendDue,
    ...createSchedule,
    sendFetch,
  ],
  'posts/create-draft': [...authenticate, ...read, ...write('PutItem'), sendFetch],
  'posts/list-posts': [
    ...authenticate,
    ...read,
    ...index('WS#*', 'posts_by_status'),
    ...index('WS#*', 'targets_by_channel'),
    ...index('WS#*', 'targets_by_channel_and_status'),
    ...index('WS#*', 'scheduled'),
  ],
  'posts/get-post': [...authenticate, ...read],
  'posts/update-post': [
    ...authenticate,
    ...read,
    ...write('PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
    sendDue,
    ...createSchedule,
    sendFetch,
  ],
  'posts/delete-post': [
    ...authenticate,
    ...read,
    ...write('PutItem', 'UpdateItem', 'DeleteItem'),
    `scheduler:DeleteSchedule ${schedules}`,
  ],
  'captions/tailor-captions': [
    ...authenticate,
    ...read,
    ...write('UpdateItem'),
    `bedrock:InvokeModel ${captionProfile}`,
    ...['us-east-1', 'us-east-2', 'us-west-2'].map(
      (region) =>
        `bedrock:InvokeModel ${bedrock}${region}::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0 if StringEquals bedrock:InferenceProfileArn ${captionProfile}`,
    ),
  ],
  'media/create-upload-url': [...authenticate, ...read, ...write('PutItem'), ...writeObjects('incoming')],
  'media/create-media': [
    ...authenticate,
    ...read,
    ...write('PutItem', 'UpdateItem'),
    ...objects('GetObject', 'incoming', 'media'),
    ...writeObjects('incoming', 'media'),
    seeAbsence,
    sendFetch,
    sendProcess,
  ],
  'media/list-media': [...authenticate, ...read, ...index('WS#*', 'media_by_kind')],
  'media/get-media': [...authenticate, ...read],
  'media/fetch-media': [
    ...read,
    ...write('UpdateItem', 'DeleteItem'),
    ...objects('GetObject', 'incoming', 'media'),
    ...writeObjects('incoming', 'media'),
    ...objects('DeleteObject', 'incoming', 'media'),
    seeAbsence,
    sendProcess,
    ...consume('MediaLibraryFetchQueue'),
  ],
  'media/process-media': [
    ...write('UpdateItem'),
    ...objects('GetObject', 'media'),
    ...writeObjects('media'),
    ...consume('MediaLibraryProcessQueue'),
  ],
  'publishing/start-post': [
    ...read,
    ...write('UpdateItem'),
    ...consume('DispatchDueQueue'),
    sendDue,
    sendPublish,
  ],
  'publishing/publish-target': [
    ...read,
    ...write('PutItem', 'UpdateItem', 'DeleteItem'),
    ...consume('PublishingPublishQueue'),
    sendPublish,
    ...objects('GetObject', 'media'),
    ...rows('APP#*', 'BatchGetItem', 'Query'),
    ...rows('APP#*', 'UpdateItem'),
    'kms:Decrypt ChannelsCredentialsKey if StringLike kms:EncryptionContext:workspace_id * and StringLike kms:EncryptionContext:channel_id *',
    'kms:Encrypt ChannelsCredentialsKey if StringLike kms:EncryptionContext:workspace_id * and StringLike kms:EncryptionContext:channel_id *',
  ],
  'publishing/sweep': [
    ...write('UpdateItem'),
    ...index('DUE#*', 'due'),
    sendDue,
    sendPublish,
    sendFetch,
    sendProcess,
  ],
  'publishing/list-attempts': [...authenticate, ...read],
  'reference/get-docs': [],
  'reference/get-openapi': [],
  'reference/route-not-found': [],
};

/** What every function may do: write its own log, send traces. */
const observe = (roleId: string) => [
  ...['logs:CreateLogStream', 'logs:PutLogEvents'].map(
    (action) => `${action} ${nameOf(roleId).replace(/Role$/, 'Log')}`,
  ),
  'xray:PutTelemetryRecords *',
  'xray:PutTraceSegments *',
];

describe('permissions', () => {
  it.each([...rolesOfFunctions].map(([roleId, entry]) => [entry, roleId] as const))(
    'of %s are what the matrix says and no more',
    (entry, roleId) => {
      const allowed = permissionsOf(resources, roleId);

      expect(allowed).toEqual([...(MATRIX[entry] ?? []), ...observe(roleId)].toSorted());
    },
  );

  it('covers every function, and names none that is gone', () => {
    expect([...rolesOfFunctions.values()].toSorted()).toEqual(Object.keys(MATRIX).toSorted());
  });

  it('gives roles to nothing but functions and schedules, which send to one queue or run one function', () => {
    const others = ofType(resources, 'AWS::IAM::Role').filter(
      ({ id }) => !rolesOfFunctions.has(id) && !id.startsWith('UploadGateway'),
    );

    expect(Object.fromEntries(others.map(({ id }) => [nameOf(id), permissionsOf(resources, id)]))).toEqual({
      DispatchPostSchedulesRole: [sendDue],
      PublishingEveryMinuteRole: ['lambda:InvokeFunction PublishingSweepFunction'],
    });
    for (const { Properties } of others) {
      const [trust] = Properties.AssumeRolePolicyDocument.Statement;
      expect(trust.Principal).toEqual({ Service: 'scheduler.amazonaws.com' });
      expect(trust.Condition.StringEquals).toEqual({
        'aws:SourceAccount': { Ref: 'AWS::AccountId' },
        'aws:SourceArn': expect.anything(),
      });
    }
  });

  it('lets the upload gateway’s container do nothing at all', () => {
    const tasks = ofType(resources, 'AWS::ECS::TaskDefinition').map(({ Properties }) =>
      idIn(Properties.TaskRoleArn),
    );

    expect(tasks).toHaveLength(1);
    for (const roleId of tasks) expect(permissionsOf(resources, roleId)).toEqual([]);
  });

  it('uses no managed policies, which hide what they allow', () => {
    const managed = ofType(resources, 'AWS::IAM::Role').filter(
      ({ Properties }) => 'ManagedPolicyArns' in Properties,
    );

    expect(managed).toEqual([]);
  });

  it('lets nobody in from other accounts', () => {
    const policies = resources.filter(({ Type }) =>
      ['AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy', 'AWS::S3::BucketPolicy'].includes(Type),
    );
    const opening = policies.flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.filter(
        ({ Effect, Principal }: { Effect: string; Principal: unknown }) =>
          Effect === 'Allow' && JSON.stringify(Principal).includes('*'),
      ),
    );

    expect(opening).toEqual([]);
  });
});
