import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServiceModel } from '../../local/template.ts';

const ADDRESSES = {
  region: 'us-east-1',
  accountId: '000000000000',
  awsEndpoint: 'http://127.0.0.1:4000',
  origin: 'http://localhost:3000',
};

/** A cloud assembly with one stack of these resources and one asset, `code.zip`. */
function assemblyOf(Resources: object, Outputs: object = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'));
  const write = (name: string, content: object) =>
    writeFileSync(join(directory, name), JSON.stringify(content));
  write('manifest.json', {
    artifacts: {
      Stack: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Stack.template.json' } },
      'Stack.assets': { type: 'cdk:asset-manifest', properties: { file: 'Stack.assets.json' } },
    },
  });
  write('Stack.assets.json', {
    files: {
      a: { source: { path: 'asset.a' }, destinations: { here: { objectKey: 'code.zip' } } },
    },
  });
  write('Stack.template.json', { Resources, Outputs });
  mkdirSync(join(directory, 'asset.a'));
  return directory;
}

const read = (resources: object, outputs?: object) =>
  readServiceModel(assemblyOf(resources, outputs), ADDRESSES);

const QUEUE = {
  Type: 'AWS::SQS::Queue',
  Properties: {
    VisibilityTimeout: 90,
    RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 3 },
  },
};

const FUNCTION = {
  Type: 'AWS::Lambda::Function',
  Properties: {
    Code: { S3Bucket: 'assets', S3Key: 'code.zip' },
    Description: 'posts/create-post',
    Handler: 'index.handler',
    Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
    Timeout: 28,
    MemorySize: 512,
    Environment: { Variables: { TABLE: { Ref: 'Table' }, QUEUE_URL: { Ref: 'Queue' } } },
  },
};

const PARTS = {
  Function: FUNCTION,
  Role: { Type: 'AWS::IAM::Role', Properties: {} },
  Table: {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      AttributeDefinitions: [],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: 'expires_at_seconds', Enabled: true },
    },
  },
  Queue: QUEUE,
  Dead: { Type: 'AWS::SQS::Queue' },
};

describe('reading the template', () => {
  it('gives a function its bundle, limits and environment with local names', () => {
    const [model] = read(PARTS).functions;

    expect(model).toMatchObject({
      name: 'posts/create-post',
      bundleDirectory: expect.stringMatching(/asset\.a$/),
      environment: { TABLE: 'Table', QUEUE_URL: 'http://127.0.0.1:4000/000000000000/Queue' },
      timeoutSeconds: 28,
      memoryMegabytes: 512,
      roleId: 'Role',
    });
  });

  it('makes the table with native TTL and the queue with its dead letters', () => {
    const { tables, queues } = read(PARTS);

    expect(tables[0]).toMatchObject({
      ttlAttribute: 'expires_at_seconds',
      definition: { TableName: 'Table', BillingMode: 'PAY_PER_REQUEST' },
    });
    expect(queues[0]).toMatchObject({
      visibilityTimeoutSeconds: 90,
      deadLetter: { arn: 'arn:aws:sqs:us-east-1:000000000000:Dead', maxReceiveCount: 3 },
    });
  });

  it('merges the statements inside a role and those attached to it', () => {
    const statement = (Action: string | string[]) => ({ Effect: 'Allow', Action, Resource: '*' });
    const document = (Action: string | string[]) => ({ PolicyDocument: { Statement: [statement(Action)] } });
    const { roles } = read({
      Role: { Type: 'AWS::IAM::Role', Properties: { Policies: [document('logs:PutLogEvents')] } },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { ...document(['sqs:SendMessage']), Roles: [{ Ref: 'Role' }] },
      },
    });

    const actions = roles.flatMap((role) => role.statements.flatMap(({ Action }) => Action));
    expect(actions).toEqual(['logs:PutLogEvents', 'sqs:SendMessage']);
  });

  it('follows a route over its integration to the function', () => {
    const { routes } = read({
      ...PARTS,
      Integration: {
        Type: 'AWS::ApiGatewayV2::Integration',
        Properties: {
          IntegrationType: 'AWS_PROXY',
          IntegrationUri: { 'Fn::GetAtt': ['Function', 'Arn'] },
          PayloadFormatVersion: '2.0',
        },
      },
      Route: {
        Type: 'AWS::ApiGatewayV2::Route',
        Properties: {
          RouteKey: 'POST /api/v1/posts',
          Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Integration' }]] },
        },
      },
    });

    expect(routes).toEqual([{ method: 'POST', path: '/api/v1/posts', functionId: 'Function' }]);
  });

  it('reads queues that feed functions, and runs at an interval', () => {
    const { eventSources, recurring } = read({
      ...PARTS,
      Source: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
          FunctionName: { Ref: 'Function' },
          BatchSize: 5,
          ScalingConfig: { MaximumConcurrency: 2 },
          FunctionResponseTypes: ['ReportBatchItemFailures'],
        },
      },
      Sweep: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(1 minute)',
          Target: { Arn: { 'Fn::GetAtt': ['Function', 'Arn'] } },
        },
      },
    });

    expect(eventSources[0]).toMatchObject({
      functionId: 'Function',
      batchSize: 5,
      maxConcurrency: 2,
      reportsBatchItemFailures: true,
    });
    expect(recurring).toEqual([{ everySeconds: 60, functionId: 'Function' }]);
  });

  it('works out Sub, Select and Split in outputs', () => {
    const { outputs } = read(PARTS, {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own placeholders
      Sub: { Value: { 'Fn::Sub': '${AWS::Region}/${Queue.QueueName}/${!literal}' } },
      Select: { Value: { 'Fn::Select': [5, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Queue', 'Arn'] }] }] } },
    });

    // biome-ignore lint/suspicious/noTemplateCurlyInString: a literal placeholder is kept
    expect(outputs).toEqual({ Sub: 'us-east-1/Queue/${literal}', Select: 'Queue' });
  });

  it('refuses, by name, what it cannot run', () => {
    expect(() => read({ Stream: { Type: 'AWS::Kinesis::Stream' } })).toThrow(
      /AWS::Kinesis::Stream \(Stream\)/,
    );
    expect(() => read(PARTS, { Out: { Value: { 'Fn::ImportValue': 'x' } } })).toThrow(/Fn::ImportValue/);
    expect(() => read(PARTS, { Out: { Value: { 'Fn::GetAtt': ['Queue', 'Colour'] } } })).toThrow(
      /Colour of AWS::SQS::Queue \(Queue\)/,
    );
    expect(() => read({ ...PARTS, Queue: { Type: QUEUE.Type, Properties: { FifoQueue: true } } })).toThrow(
      /AWS::SQS::Queue Queue here: FifoQueue/,
    );
  });
});
