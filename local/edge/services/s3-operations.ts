import { createReadStream } from 'node:fs';
import { AwsError } from '../aws-error.ts';
import type { Answer, EdgeCall } from '../call.ts';
import { evaluate } from '../iam/authorise.ts';
import { byteRange } from '../s3/byte-range.ts';
import type { ObjectStore, StoredObject } from '../s3/object-store.ts';
import { assertCopyable, failed, mayWrite, readVerdict } from '../s3/preconditions.ts';
import { receiveObject } from '../s3/receive-object.ts';
import { escapeXml, xmlAnswer } from './s3-xml.ts';

/** Where a call points: a bucket, and a key unless it is about the bucket itself. */
export interface Place {
  readonly bucket: string;
  readonly bucketArn: string;
  readonly key: string;
}

/** What an operation works with. */
export interface S3Work {
  readonly call: EdgeCall;
  readonly place: Place;
  /** What a copy reads. */
  readonly source: Place | undefined;
  readonly objects: ObjectStore;
}

type Operation = (work: S3Work) => Promise<Answer> | Answer;

const KEPT_HEADERS = ['content-type', 'cache-control', 'content-disposition', 'content-language', 'expires'];
const OVERRIDES = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-encoding',
  'expires',
];

/** What each S3 operation does. */
export const S3_OPERATIONS: Readonly<Record<string, Operation>> = {
  HeadBucket: () => ({ status: 200, headers: {} }),
  GetObject: (work) => read(work, true),
  HeadObject: (work) => read(work, false),
  PutObject: put,
  CopyObject: copy,
  DeleteObject: ({ place, objects }) => {
    objects.delete(place.bucket, place.key);
    return { status: 204, headers: {} };
  },
  ListObjectsV2: list,
};

function read({ call, place, objects }: S3Work, withBody: boolean): Answer {
  const object = found(call, place, objects);
  const { headers } = call.request;
  const verdict = readVerdict(headers, object);
  const range = byteRange(headers.range, object.sizeBytes);
  // A checksum is the whole object's, and goes only to readers who ask for it.
  const isChecked = range === undefined && headers['x-amz-checksum-mode'] === 'ENABLED';
  const kept = Object.entries(object.headers).filter(
    ([name]) => isChecked || !name.startsWith('x-amz-checksum-'),
  );
  const own = {
    ...Object.fromEntries(kept),
    ...overrides(call.query),
    etag: object.etag,
    'last-modified': new Date(object.modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
  };
  if (verdict === 'not modified') return { status: 304, headers: own };
  const { start, end } = range ?? { start: 0, end: object.sizeBytes - 1 };
  const sized = { ...own, 'content-length': end - start + 1 };
  const ranged = range && { 'content-range': `bytes ${start}-${end}/${object.sizeBytes}` };
  const body = withBody && end >= start ? { body: createReadStream(object.file, { start, end }) } : {};
  return { status: range === undefined ? 200 : 206, headers: { ...sized, ...ranged }, ...body };
}

async function put({ call, place: { bucket, key }, objects }: S3Work): Promise<Answer> {
  const { request } = call;
  const file = objects.newFile();
  try {
    const { sizeBytes, etag, checksum } = await receiveObject(request, file);
    const headers = { ...describedBy(call), ...checksum };
    const allowed = (before: StoredObject | undefined) => mayWrite(request.headers, before);
    if (objects.commit({ bucket, key, sizeBytes, etag, headers }, file, allowed) === undefined)
      throw failed('If-None-Match');
    return { status: 200, headers: { etag, ...checksum } };
  } catch (error) {
    objects.discard(file);
    throw error;
  }
}

function copy({ call, place, source, objects }: S3Work): Answer {
  const original = found(call, source ?? place, objects);
  const { headers } = call.request;
  assertCopyable(headers, original);
  const replaced = headers['x-amz-metadata-directive'] === 'REPLACE';
  const { bucket, key } = place;
  const described = replaced ? describedBy(call) : original.headers;
  const target = { bucket, key, sizeBytes: original.sizeBytes, etag: original.etag, headers: described };
  const made = objects.commit(target, objects.linkTo(original), (before) => mayWrite(headers, before));
  if (made === undefined) throw failed('If-None-Match');
  const modified = new Date(made.modifiedAt).toISOString();
  return xmlAnswer(
    `<CopyObjectResult><ETag>${escapeXml(made.etag)}</ETag><LastModified>${modified}</LastModified></CopyObjectResult>`,
  );
}

function list({ call: { query }, place: { bucket }, objects }: S3Work): Answer {
  if (query.has('delimiter'))
    throw new AwsError('NotImplemented', 'listing by delimiter is not supported locally', 501);
  const limit = Math.min(Number(query.get('max-keys') ?? 1000), 1000);
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const rows = objects.list(bucket, { prefix, after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const contents = page.map(
    ({ key, modifiedAt, etag, sizeBytes }) =>
      `<Contents><Key>${escapeXml(key)}</Key><LastModified>${new Date(modifiedAt).toISOString()}</LastModified>` +
      `<ETag>${escapeXml(etag)}</ETag><Size>${sizeBytes}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  );
  const more = rows.length > limit;
  const next = more
    ? `<NextContinuationToken>${escapeXml(page.at(-1)?.key ?? '')}</NextContinuationToken>`
    : '';
  return xmlAnswer(
    `<ListBucketResult><Name>${bucket}</Name><Prefix>${escapeXml(prefix)}</Prefix><KeyCount>${page.length}</KeyCount>` +
      `<MaxKeys>${limit}</MaxKeys><IsTruncated>${more}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`,
  );
}

/** Who may not list a bucket may not learn that a key is absent (S3 API reference, GetObject). */
function found(
  { principal }: EdgeCall,
  { bucket, bucketArn, key }: Place,
  objects: ObjectStore,
): StoredObject {
  const object = objects.find(bucket, key);
  if (object !== undefined) return object;
  const maySee =
    evaluate(principal.statements, { action: 's3:ListBucket', resource: bucketArn }) === 'allowed';
  throw maySee
    ? new AwsError('NoSuchKey', `The specified key does not exist: ${key}`, 404)
    : new AwsError(
        'AccessDenied',
        `Access Denied: ${key} is absent, and ${principal.arn} may not s3:ListBucket`,
        403,
      );
}

/** What a writer says of an object besides its bytes: type, encoding, metadata. */
export function describedBy({ request: { headers } }: EdgeCall): Record<string, string> {
  const encoding = String(headers['content-encoding'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && each !== 'aws-chunked')
    .join(', ');
  const kept = Object.entries(headers).filter(
    ([name]) => KEPT_HEADERS.includes(name) || name.startsWith('x-amz-meta-'),
  );
  return {
    'content-type': 'binary/octet-stream',
    ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    ...(encoding === '' ? {} : { 'content-encoding': encoding }),
  };
}

function overrides(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    OVERRIDES.flatMap((name) => {
      const value = query.get(`response-${name}`);
      return value === null ? [] : [[name, value]];
    }),
  );
}
