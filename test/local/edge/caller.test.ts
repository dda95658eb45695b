import { request } from 'node:http';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Edge } from '../../../local/edge/start-edge.ts';
import { ARNS, edgeModel, STATEMENTS } from './edge-model.ts';
import { clients, stateDirectory, testEdge } from './edge-under-test.ts';

const directory = stateDirectory();
const read = new GetItemCommand({ TableName: 'ServiceTable', Key: { pk: { S: 'WS#1' }, sk: { S: 'A' } } });
let edge: Edge;

beforeAll(async () => {
  edge = await testEdge({ stateDirectory: directory.path });
});
afterAll(async () => {
  await edge.stop();
  directory.remove();
});

function withCredentials(accessKeyId: string, secretAccessKey: string) {
  return {
    ...{ endpoint: edge.endpoint, region: 'eu-west-1', maxAttempts: 1 },
    credentials: { accessKeyId, secretAccessKey },
  };
}

it('refuses a key nobody has, in the words of each service', async () => {
  const stranger = withCredentials('AKIASTRANGER', 'secret');

  await expect(new DynamoDBClient(stranger).send(read)).rejects.toMatchObject({
    name: 'UnrecognizedClientException',
  });
  const object = new S3Client({ ...stranger, forcePathStyle: true }).send(
    new GetObjectCommand({ Bucket: 'media', Key: 'a' }),
  );
  await expect(object).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
});

it('refuses a signature made with another secret', async () => {
  const { accessKeyId } = edge.credentialsFor('CreatePost');

  const call = new DynamoDBClient(withCredentials(accessKeyId, 'guessed')).send(read);

  await expect(call).rejects.toMatchObject({ name: 'InvalidSignatureException' });
});

it('keeps keys over a restart, one for each instance of a function', async () => {
  const again = await testEdge({ stateDirectory: directory.path });

  expect(again.credentialsFor('posts/create-post', 'w1')).toEqual(edge.credentialsFor('CreatePost', 'w1'));
  expect(again.credentialsFor('CreatePost', 'w2')).not.toEqual(edge.credentialsFor('CreatePost', 'w1'));
  await again.stop();
});

it('tells the runtime which instance a crash fault is to end', async () => {
  const crashed: string[] = [];
  const crashing = await testEdge({
    stateDirectory: directory.path,
    onCrash: (principal, instance) => crashed.push(`${principal} ${instance}`),
  });
  crashing.faults.set([{ service: 'kms', fault: 'crash-before' }]);
  const credentials = crashing.credentialsFor('CreatePost', 'w1');
  const kms = new KMSClient({
    endpoint: crashing.endpoint,
    region: 'eu-west-1',
    maxAttempts: 1,
    credentials,
  });

  await expect(
    kms.send(new EncryptCommand({ KeyId: ARNS.key, Plaintext: Buffer.from('x') })),
  ).rejects.toThrow();

  expect(crashed).toEqual(['CreatePost w1']);
  await crashing.stop();
});

it('does not start on a policy it could only half judge', async () => {
  const Condition = { NumericLessThan: { 'aws:MultiFactorAuthAge': '300' } };
  const statement = { Effect: 'Allow' as const, Action: ['s3:*'], Resource: ['*'], Condition };

  const start = testEdge({ model: edgeModel([...STATEMENTS, statement]), stateDirectory: directory.path });

  await expect(start).rejects.toThrow(/operator NumericLessThan, key aws:MultiFactorAuthAge/);
});

it('lets an explicit deny win', async () => {
  const deny = { Effect: 'Deny' as const, Action: ['dynamodb:Get*'], Resource: ['*'] };
  const model = edgeModel([...STATEMENTS, deny]);
  const strict = await testEdge({ model, stateDirectory: directory.path });

  await expect(clients(strict, 'CreatePost').dynamo.send(read)).rejects.toThrow('with an explicit deny');

  await strict.stop();
});

it('is steered over HTTP too', async () => {
  const control = (method: string, path: string, body = '') =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      request(`${edge.endpoint}/__edge/${path}`, { method }, async (response) => {
        resolve({ status: response.statusCode, body: (await response.toArray()).join('') });
      })
        .on('error', reject)
        .end(body);
    });

  expect(await control('POST', 'faults', '[{"fault":"throttle"}]')).toMatchObject({ status: 200 });
  await expect(clients(edge, 'operator').dynamo.send(read)).rejects.toMatchObject({
    name: 'ThrottlingException',
  });
  expect((await control('GET', 'faults')).body).toContain('"hits":1');
  expect(await control('POST', 'faults', '[{"fault":"thunder"}]')).toMatchObject({ status: 400 });
  await control('DELETE', 'faults');
  expect(edge.faults.list()).toEqual([]);
  expect((await control('GET', 'counts')).body).toContain('"fault":"throttle"');
});

it('decrypts only in the context it encrypted in, also after a restart', async () => {
  const { kms } = clients(edge, 'CreatePost');
  const EncryptionContext = { workspace_id: 'w1', channel_id: 'c1' };
  const { CiphertextBlob } = await kms.send(
    new EncryptCommand({ KeyId: ARNS.key, Plaintext: Buffer.from('token'), EncryptionContext }),
  );
  const again = await testEdge({ stateDirectory: directory.path });

  const { Plaintext } = await clients(again, 'CreatePost').kms.send(
    new DecryptCommand({ CiphertextBlob, EncryptionContext }),
  );
  const elsewhere = kms.send(
    new DecryptCommand({ CiphertextBlob, EncryptionContext: { ...EncryptionContext, workspace_id: 'w2' } }),
  );

  expect(Buffer.from(Plaintext ?? []).toString()).toBe('token');
  await expect(elsewhere).rejects.toMatchObject({ name: 'InvalidCiphertextException' });
  await again.stop();
});
