import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../local/free-port.ts';
import type { OperatorAccount } from '../local/operator-access.ts';
import { film } from '../test/media/samples.ts';
import { newStateDirectory, startServiceProcess } from '../test/system/service-process.ts';
import { newWorkspace, operatorOf } from '../test/system/test-workspace.ts';

const BYTES = 15_900_000;
const TURNS = 8;
const BOUNDARY = 'a-boundary-of-the-bench';

/** How fast a client's line is, in bytes a second. */
const LINES = {
  'at 200 Mbit/s': 25_000_000,
  'at 500 Mbit/s': 62_500_000,
  'on this machine': Number.POSITIVE_INFINITY,
} as const;

/** What was taken is processed afterwards; that work must not fall into the next measurement. */
const QUIET_MS = 500;

/**
 * A form of 15.9 MB, through the upload gateway in a process of its own and registered, against the same bytes
 * put to storage: by the SDK, and bare, by a presigned URL. What a form adds to any line's time are two calls of
 * the API; only where there is no line, and all bytes cross one machine twice, do the bytes themselves count.
 */
export async function formUpload(): Promise<Readonly<Record<string, object>>> {
  const stateDirectory = newStateDirectory();
  const service = await startServiceProcess({ stateDirectory });
  const apiUrl = service.file.base_url;
  const gateway = await startGateway(apiUrl);
  try {
    const account: OperatorAccount = JSON.parse(readFileSync(join(stateDirectory, 'operator.json'), 'utf8'));
    const { key } = await newWorkspace(operatorOf(stateDirectory));
    // Without metadata, which takes a second pass over the file to be taken out.
    const file = padded(await film('mp4', { tells: false }));
    const authorization = `Bearer ${key}`;
    const form = (bytesPerSecond: number) =>
      send({
        ...{
          url: `${gateway.url}/api/v1/media`,
          method: 'POST',
          body: formOf(file),
          bytesPerSecond,
          expected: 201,
        },
        headers: {
          ...{ authorization, 'idempotency-key': randomUUID() },
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        },
      });
    const bare = async (bytesPerSecond: number) => {
      const url = await uploadUrl(apiUrl, authorization, file.length);
      const headers = { 'content-type': 'video/mp4' };
      return send({ url, method: 'PUT', headers, body: file, bytesPerSecond, expected: 200 });
    };
    const rows: Record<string, object> = {};
    for (const [line, bytesPerSecond] of Object.entries(LINES)) {
      const ways = {
        form: () => form(bytesPerSecond),
        'a bare PUT': () => bare(bytesPerSecond),
        // The SDK sends as fast as it can.
        ...(bytesPerSecond === Number.POSITIVE_INFINITY && { 'the SDK': () => putObject(account, file) }),
      };
      const took = new Map<string, number[]>(Object.keys(ways).map((way) => [way, []]));
      for (let turn = 0; turn < TURNS; turn += 1) {
        for (const [way, once] of Object.entries(ways)) {
          took.get(way)?.push(await once());
          await sleep(QUIET_MS);
        }
      }
      const formMs = median(took.get('form') ?? []);
      for (const way of Object.keys(ways).slice(1)) {
        const putMs = median(took.get(way) ?? []);
        rows[`${line}, against ${way}`] = {
          form_ms: Math.round(formMs),
          put_object_ms: Math.round(putMs),
          ratio: Number((putMs / formMs).toFixed(2)),
        };
      }
    }
    return rows;
  } finally {
    gateway.stop();
    await service.end('SIGTERM');
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}

async function startGateway(apiUrl: string): Promise<{ url: string; stop: () => void }> {
  const port = String(await freePort());
  const env = { PATH: process.env.PATH, API_URL: apiUrl, PORT: port };
  const child = spawn(process.execPath, ['upload/main.ts'], { env, stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(50);
  return { url, stop: () => child.kill() };
}

async function putObject(account: OperatorAccount, file: Buffer): Promise<number> {
  const { region, endpoint, access_key_id, secret_access_key, outputs } = account;
  const credentials = { accessKeyId: access_key_id, secretAccessKey: secret_access_key };
  const client = new S3Client({ region, endpoint, credentials, forcePathStyle: true });
  const startedAt = performance.now();
  const object = { Bucket: outputs.MediaBucketName, Key: `bench/${randomUUID()}`, ContentType: 'video/mp4' };
  await client.send(new PutObjectCommand({ ...object, Body: file }));
  return performance.now() - startedAt;
}

async function uploadUrl(apiUrl: string, authorization: string, size: number): Promise<string> {
  const response = await fetch(`${apiUrl}/media/upload-url`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ filename: 'film.mp4', content_type: 'video/mp4', size }),
  });
  return JSON.parse(await response.text()).upload_url;
}

const formOf = (file: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="film.mp4"\r\nContent-Type: video/mp4\r\n\r\n`,
    ),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly bytesPerSecond: number;
  readonly expected: number;
}

/** Sends a body no faster than the line; the milliseconds to the answer's end. */
async function send({ url, method, headers, body, bytesPerSecond, expected }: Sent): Promise<number> {
  const startedAt = performance.now();
  const sending = request(url, { method, headers: { ...headers, 'content-length': body.length } });
  const answered = once(sending, 'response');
  const piece = 256 * 1024;
  for (let at = 0; at < body.length; at += piece) {
    const aheadMs = (at / bytesPerSecond) * 1000 - (performance.now() - startedAt);
    if (aheadMs > 1) await sleep(aheadMs);
    if (!sending.write(body.subarray(at, at + piece))) await once(sending, 'drain');
  }
  sending.end();
  const [response] = await answered;
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== expected) throw new Error(`${method} was answered ${response.statusCode}`);
  return performance.now() - startedAt;
}

/** A film of the size wanted: media data that nothing refers to is part of the format. */
function padded(head: Buffer): Buffer {
  const data = Buffer.alloc(BYTES - head.length);
  data.writeUInt32BE(data.length);
  data.write('mdat', 4);
  return Buffer.concat([head, data]);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
