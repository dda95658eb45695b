import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localAccount, stageAccount } from '../../bin/operator/operator-account.ts';
import { PLATFORM_APIS } from '../../lib/platform-apis.ts';

const outputs = {
  TableName: 'table',
  CredentialsKeyArn: 'arn:key',
  DueQueueUrl: 'due',
  DueDeadLettersUrl: 'due-dead',
  PublishQueueUrl: 'publish',
  PublishDeadLettersUrl: 'publish-dead',
  FetchQueueUrl: 'fetch',
  FetchDeadLettersUrl: 'fetch-dead',
  ProcessQueueUrl: 'process',
  ProcessDeadLettersUrl: 'process-dead',
};
const local = {
  region: 'eu-central-1',
  endpoint: 'http://127.0.0.1:1',
  access_key_id: 'id',
  secret_access_key: 'SECRET',
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'state-'));
});
afterEach(() => rmSync(directory, { recursive: true }));
const write = (text: string) => writeFileSync(join(directory, 'operator.json'), text);

describe('localAccount', () => {
  it('is what the running service wrote down', () => {
    write(JSON.stringify({ ...local, outputs: { ...outputs, ApiUrl: 'more' } }));

    expect(localAccount(directory)).toEqual({
      aws: {
        region: 'eu-central-1',
        endpoint: 'http://127.0.0.1:1',
        credentials: { accessKeyId: 'id', secretAccessKey: 'SECRET' },
      },
      outputs,
      isLocal: true,
      platformApis: PLATFORM_APIS,
    });
  });

  it('says how to get one where none is running', () => {
    expect(() => localAccount(directory)).toThrow(
      `no service is running in ${directory}: start it with npm start, name its directory with STATE_DIR, or a deployed stage with --stage NAME`,
    );
  });

  it.each(['', '{"secret_access_key":"SECRET"', JSON.stringify({ ...local, outputs: {} })])(
    'says that the file is of another version, and not what is in it: %s',
    (text) => {
      write(text);

      expect(() => localAccount(directory)).toThrow(/operator\.json is not of this version: restart/);
      expect(() => localAccount(directory)).not.toThrow('SECRET');
    },
  );
});

describe('stageAccount', () => {
  const cloudFormation = mockClient(CloudFormationClient);
  const client = new CloudFormationClient({ region: 'eu-central-1' });
  const stack = (told: Record<string, string>) => ({
    StackName: 'SocialPosts-dev',
    CreationTime: new Date(0),
    StackStatus: 'CREATE_COMPLETE' as const,
    Outputs: Object.entries(told).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
  });
  beforeEach(() => cloudFormation.reset());

  it('is what the stack of the stage puts out, used with the rights of the shell', async () => {
    cloudFormation
      .on(DescribeStacksCommand, { StackName: 'SocialPosts-dev' })
      .resolves({ Stacks: [stack({ ...outputs, ApiUrl: 'more' })] });

    expect(await stageAccount('dev', client)).toEqual({
      aws: {},
      outputs,
      isLocal: false,
      platformApis: PLATFORM_APIS,
    });
  });

  it('says how to deploy a stack that does not exist', async () => {
    cloudFormation.on(DescribeStacksCommand).rejects(
      new CloudFormationServiceException({
        name: 'ValidationError',
        message: 'Stack with id SocialPosts-dev does not exist',
        $fault: 'client',
        $metadata: {},
      }),
    );

    await expect(stageAccount('dev', client)).rejects.toThrow(
      'there is no stack SocialPosts-dev in this AWS account and region: deploy it with npm run deploy -- -c stage=dev',
    );
  });

  it('names the output a stack of another version lacks', async () => {
    const { DueQueueUrl: _, ...rest } = outputs;
    cloudFormation.on(DescribeStacksCommand).resolves({ Stacks: [stack(rest)] });

    await expect(stageAccount('dev', client)).rejects.toThrow(
      'SocialPosts-dev lacks DueQueueUrl among its outputs',
    );
  });

  it('lets other failures through', async () => {
    cloudFormation.on(DescribeStacksCommand).rejects(new Error('ExpiredToken'));

    await expect(stageAccount('dev', client)).rejects.toThrow('ExpiredToken');
  });
});
