import { request } from 'node:http';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Edge } from '../../../local/edge/start-edge.ts';
import { edgeModel, without } from './edge-model.ts';
import { stateDirectory, testEdge } from './edge-under-test.ts';

const EXPIRES_IN_SECONDS = 900;
const directory = stateDirectory();
let nowMs = 0;
let edge: Edge;

beforeAll(async () => {
  edge = await testEdge({ stateDirectory: directory.path, now: () => nowMs });
});
beforeEach(() => {
  nowMs = Date.now();
});
afterAll(async () => {
  await edge.stop();
  directory.remove();
});

/** A URL for five bytes of image/png, as an endpoint would sign it. */
function uploadUrl(Key: string, on = edge): Promise<string> {
  const s3 = new S3Client({
    ...{ endpoint: on.endpoint, region: 'eu-west-1', forcePathStyle: true },
    ...{ credentials: on.credentialsFor('CreatePost', 'w1'), requestChecksumCalculation: 'WHEN_REQUIRED' },
  });
  const command = new PutObjectCommand({ Bucket: 'media', Key, ContentType: 'image/png', ContentLength: 5 });
  const signableHeaders = new Set(['content-type', 'content-length', 'host']);
  return getSignedUrl(s3, command, { expiresIn: EXPIRES_IN_SECONDS, signableHeaders });
}

interface Upload {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

function upload(url: string, { method = 'PUT', body = '12345', headers = {} }: Upload = {}) {
  return new Promise<{ status: number; body: string; headers: unknown }>((resolve, reject) => {
    const described = { 'content-type': 'image/png', 'content-length': String(body.length) };
    const all = method === 'OPTIONS' ? headers : { ...described, ...headers };
    request(url, { method, headers: all }, async (response) => {
      const text = (await response.toArray()).join('');
      resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers });
    })
      .on('error', reject)
      .end(method === 'OPTIONS' ? undefined : body);
  });
}

it('takes what was signed', async () => {
  expect(await upload(await uploadUrl('good'))).toMatchObject({ status: 200 });
});

it.each<[string, Upload]>([
  ['another type', { headers: { 'content-type': 'text/html' } }],
  ['another length', { body: '123456' }],
  ['another method', { method: 'DELETE' }],
  ['a header it does not cover', { headers: { 'x-amz-acl': 'public-read' } }],
])('refuses %s', async (_, change) => {
  const { status, body } = await upload(await uploadUrl('refused'), change);

  expect(status).toBe(403);
  expect(body).toMatch(/SignatureDoesNotMatch|AccessDenied/);
});

it('refuses another key than the signed one', async () => {
  const url = (await uploadUrl('mine')).replace('/media/mine', '/media/yours');

  expect(await upload(url)).toMatchObject({
    status: 403,
    body: expect.stringContaining('SignatureDoesNotMatch'),
  });
});

it('holds until its expiry and no longer', async () => {
  const url = await uploadUrl('timed');
  nowMs += (EXPIRES_IN_SECONDS - 5) * 1000;
  expect(await upload(url)).toMatchObject({ status: 200 });

  nowMs += 6000;

  expect(await upload(url)).toMatchObject({
    status: 403,
    body: expect.stringContaining('Request has expired'),
  });
});

it('allows no more than its signer may do', async () => {
  const narrow = await testEdge({
    model: edgeModel(without('s3:PutObject')),
    stateDirectory: directory.path,
  });

  const answer = await upload(await uploadUrl('beyond', narrow));

  expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('s3:PutObject') });
  await narrow.stop();
});

it('answers a browser of another origin as the bucket allows', async () => {
  const url = await uploadUrl('browser');
  const Origin = 'https://app.example';

  const preflight = await upload(url, {
    method: 'OPTIONS',
    headers: {
      Origin,
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'content-type',
    },
  });
  const put = await upload(url, { headers: { Origin } });
  const forbidden = await upload(url, {
    method: 'OPTIONS',
    headers: { Origin, 'Access-Control-Request-Method': 'DELETE' },
  });

  expect(preflight).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } });
  expect(put).toMatchObject({ status: 200, headers: { 'access-control-expose-headers': 'ETag' } });
  expect(forbidden.status).toBe(403);
});

it('reads by a presigned URL', async () => {
  await upload(await uploadUrl('readable'));
  const s3 = new S3Client({
    ...{ endpoint: edge.endpoint, region: 'eu-west-1', forcePathStyle: true },
    credentials: edge.credentialsFor('CreatePost'),
  });

  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: 'media', Key: 'readable' }));

  expect(await (await fetch(url)).text()).toBe('12345');
});
