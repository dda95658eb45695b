import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOperator } from '../../bin/operator/run-operator.ts';
import { tableUnderTest } from '../table-under-test.ts';

mockClient(KMSClient)
  .on(EncryptCommand)
  .resolves({ CiphertextBlob: Uint8Array.of(1) });
const sqs = mockClient(SQSClient).on(ReceiveMessageCommand).resolves({});
const engine = tableUnderTest();
const stateDirectory = mkdtempSync(join(tmpdir(), 'state-'));
const nobody = '0199a0e0-0000-7000-8000-000000000000';
const secret = 'a-signing-secret-0123456789';

const writeAccount = (endpoint: string) =>
  writeFileSync(
    join(stateDirectory, 'operator.json'),
    JSON.stringify({
      region: 'eu-central-1',
      endpoint,
      access_key_id: 'operator',
      secret_access_key: 'operator',
      outputs: {
        TableName: engine.tableName,
        CredentialsKeyArn: 'arn:key',
        DueQueueUrl: 'https://sqs/due',
        DueDeadLettersUrl: 'https://sqs/due-dead',
        PublishQueueUrl: 'https://sqs/publish',
        PublishDeadLettersUrl: 'https://sqs/publish-dead',
        FetchQueueUrl: 'https://sqs/fetch',
        FetchDeadLettersUrl: 'https://sqs/fetch-dead',
        ProcessQueueUrl: 'https://sqs/process',
        ProcessDeadLettersUrl: 'https://sqs/process-dead',
      },
    }),
  );
beforeAll(() => writeAccount(engine.endpoint));
afterAll(() => rmSync(stateDirectory, { recursive: true }));

async function operator(...args: string[]) {
  const [printed, complaints]: [string[], string[]] = [[], []];
  const exitCode = await runOperator(args, {
    stateDirectory,
    print: (text) => printed.push(text),
    complain: (line) => complaints.push(line),
  });
  return { exitCode, printed, complaints };
}

/** What a command prints with --json, which must be one object on one line and nothing else. */
async function json(...args: string[]) {
  const { exitCode, printed, complaints } = await operator(...args, '--json');
  expect({ exitCode, complaints, lines: printed.join('\n').split('\n').length }).toEqual({
    exitCode: 0,
    complaints: [],
    lines: 1,
  });
  return JSON.parse(printed[0] ?? '');
}

const newWorkspace = async (): Promise<string> => (await json('create-workspace', '--name', 'Bakery')).id;
const hook = (workspace: string, ...more: string[]) => [
  'connect-channel',
  '--workspace',
  workspace,
  '--platform',
  'custom_webhook',
  '--name',
  'Hook',
  ...more,
];

describe('the operator', () => {
  it('makes a workspace, sets its plan, and makes and revokes a key of it', async () => {
    const workspace = await json('create-workspace', '--name', 'Bäckerei');
    const plan = await json(
      'set-plan',
      '--workspace',
      workspace.id,
      '--posts-per-day',
      '5',
      '--max-file-bytes',
      '0',
    );
    const key = await json(
      'create-key',
      '--workspace',
      workspace.id,
      '--scopes',
      'posts:read, posts:write,posts:read',
      '--expires-at',
      '2999-01-01T00:00:00+01:00',
      '--rate-limit',
      '9',
    );
    const revoked = await json('revoke-key', '--key', key.api_key);

    expect(workspace).toEqual({ id: expect.any(String), name: 'Bäckerei' });
    expect(plan).toMatchObject({
      id: workspace.id,
      plan: 'custom',
      limits: { posts_per_day: 5, pending_schedules: 100, max_file_bytes: 0 },
    });
    expect(key).toEqual({
      api_key: expect.stringMatching(/^spp_live_/),
      lookup: expect.any(String),
      scopes: ['posts:read', 'posts:write'],
      expires_at: '2998-12-31T23:00:00.000Z',
    });
    expect(revoked).toEqual({ lookup: key.lookup, revoked_at: expect.any(String) });
    expect(await json('revoke-key', '--key', key.lookup)).toEqual(revoked);
  });

  it('connects a loopback webhook to the local service, and disconnects it', async () => {
    const workspace = await newWorkspace();

    const channel = await json(
      ...hook(workspace, '--url', 'http://localhost:3000/in', '--secret', secret, '--business', 'Acme'),
    );
    const disconnected = await json('disconnect-channel', '--workspace', workspace, '--channel', channel.id);

    expect(channel).toMatchObject({
      platform: 'custom_webhook',
      display_name: 'Hook',
      business_name: 'Acme',
      status: 'active',
    });
    expect(disconnected).toEqual({ ...channel, status: 'disconnected' });
  });

  it('connects an account with tokens of a file', async () => {
    const file = join(stateDirectory, 'tiktok.json');
    const tokens = {
      access_token: 'a',
      refresh_token: 'r',
      client_key: 'k',
      client_secret: 's',
      open_id: '1',
    };
    writeFileSync(file, JSON.stringify(tokens));
    const args = [
      'connect-channel',
      '--workspace',
      await newWorkspace(),
      '--platform',
      'tiktok',
      '--name',
      'T',
      '--credentials-file',
      file,
    ];

    expect((await json(...args)).accepts.direct_post).toBe(true);
    expect((await json(...args, '--inbox')).accepts.direct_post).toBe(false);
  });

  it('redrives all queues, or the one named', async () => {
    const asked = () => sqs.commandCalls(ReceiveMessageCommand).map(({ args }) => args[0].input.QueueUrl);

    expect(await json('redrive')).toEqual({ redriven: 0 });
    expect(asked()).toEqual(ALL);
    await json('redrive', '--queue', 'publish');
    expect(asked()).toEqual([...ALL, 'https://sqs/publish-dead']);
  });

  it('prints lines a person reads, unless JSON is asked for', async () => {
    const workspace = await newWorkspace();

    const { printed } = await operator('set-plan', '--workspace', workspace, '--posts-per-day', '7');

    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(/^limits\.posts_per_day +7$/m);
    expect(printed[0]).toMatch(new RegExp(`^id +${workspace}$`, 'm'));
  });

  it('helps', async () => {
    expect(await operator('--help')).toMatchObject({ exitCode: 0, complaints: [] });
  });
});

describe('a complaint of the operator', () => {
  it.each([
    [['no-such-command'], 'there is no command no-such-command'],
    [['create-workspace', '--name', ' '], 'name of a workspace must have 1 to 200 characters'],
    [['set-plan', '--workspace', nobody], 'name at least one limit'],
    [['set-plan', '--workspace', nobody, '--posts-per-day', '5'], `there is no workspace ${nobody}`],
    [
      ['set-plan', '--workspace', nobody, '--requests-per-minute', '0'],
      '--requests-per-minute must be at least 1',
    ],
    [['set-plan', '--workspace', nobody, '--posts-per-day', '1.5'], '--posts-per-day must be a whole number'],
    [['create-key', '--workspace', nobody, '--scopes', 'posts:read'], `there is no workspace ${nobody}`],
    [['create-key', '--workspace', 'x', '--scopes', 'posts:read'], '--workspace must be a UUID'],
    [['create-key', '--workspace', nobody, '--scopes', ''], '--scopes must be one of "posts:read"'],
    [
      ['create-key', '--workspace', nobody, '--scopes', 'posts:read', '--expires-at', 'soon'],
      '--expires-at must be an RFC 3339',
    ],
    [
      ['create-key', '--workspace', nobody, '--scopes', 'posts:read', '--rate-limit', '0'],
      '--rate-limit must be at least 1',
    ],
    [['revoke-key', '--key', 'x'], 'neither an API key'],
    [
      hook(nobody, '--url', 'https://hooks.example.com'),
      '--secret is missing: --url and --secret go together',
    ],
    [hook(nobody, '--secret', secret), '--url is missing: --url and --secret go together'],
    [hook(nobody, '--url', 'ftp://x', '--secret', secret), 'not a webhook URL'],
    [
      hook(nobody, '--url', 'https://hooks.example.com', '--secret', secret),
      `there is no workspace ${nobody}`,
    ],
    [
      ['connect-channel', '--workspace', nobody, '--platform', 'myspace', '--name', 'X'],
      '--platform must be one of "meta_facebook"',
    ],
    [
      [
        'connect-channel',
        '--workspace',
        nobody,
        '--platform',
        'youtube',
        '--name',
        'X',
        '--credentials-file',
        '/nowhere',
      ],
      '--credentials-file must be a readable file',
    ],
    [
      ['disconnect-channel', '--workspace', nobody, '--channel', nobody],
      `workspace ${nobody} has no channel`,
    ],
    [['redrive', '--queue', 'all'], '--queue must be one of "due", "publish"'],
  ])('about %j is one line on standard error and nothing else', async (args, complaint) => {
    const { exitCode, printed, complaints } = await operator(...args, '--json');

    expect(complaints).toEqual([expect.stringContaining(complaint)]);
    expect(complaints[0]).not.toContain('\n');
    expect({ exitCode, printed }).toEqual({ exitCode: 1, printed: [] });
  });

  it('does not repeat a token of a file that cannot be read', async () => {
    const file = join(stateDirectory, 'broken.json');
    writeFileSync(file, 'TOKEN {');

    const { complaints } = await operator(
      'connect-channel',
      '--workspace',
      nobody,
      '--platform',
      'youtube',
      '--name',
      'X',
      '--credentials-file',
      file,
    );

    expect(complaints).toEqual([expect.not.stringContaining('TOKEN')]);
  });

  it('says that a service which has ended does not answer', async () => {
    writeAccount('http://127.0.0.1:1');

    const { exitCode, complaints } = await operator('create-workspace', '--name', 'X');

    expect({ exitCode, complaints }).toEqual({
      exitCode: 1,
      complaints: ['operator: the local service does not answer: start it with npm start'],
    });
  });
});

/** The queues of what was set aside, in the order they are emptied. */
const ALL = ['due', 'publish', 'fetch', 'process'].map((name) => `https://sqs/${name}-dead`);
