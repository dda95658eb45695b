import type { IncomingMessage } from 'node:http';
import type { ServiceModel } from '../../service-model.ts';
import { AwsError, unknownOperation } from '../aws-error.ts';
import type { EdgeService, Need } from '../call.ts';
import { corsHeaders } from '../s3/cors.ts';
import { multipartUploads } from '../s3/multipart-uploads.ts';
import type { ObjectStore } from '../s3/object-store.ts';
import { MULTIPART_OPERATIONS } from './s3-multipart.ts';
import { type Place, S3_OPERATIONS } from './s3-operations.ts';
import { escapeXml, xmlAnswer } from './s3-xml.ts';

/** Query parameters that make a request another operation's. */
const SUBRESOURCES = [
  'uploads',
  'uploadId',
  'delete',
  'acl',
  'tagging',
  'attributes',
  'versions',
  'policy',
  'renameObject',
];

/** The operations by method, whether a key is named and whether a copy source is, and the sub-resource. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'HEAD bucket': 'HeadBucket',
  'GET bucket': 'ListObjectsV2',
  'GET object': 'GetObject',
  'HEAD object': 'HeadObject',
  'PUT object': 'PutObject',
  'PUT copy': 'CopyObject',
  'DELETE object': 'DeleteObject',
  'POST object uploads': 'CreateMultipartUpload',
  'PUT object uploadId': 'UploadPart',
  'POST object uploadId': 'CompleteMultipartUpload',
  'DELETE object uploadId': 'AbortMultipartUpload',
};

/** What each operation needs at its place, and a copy at its source too. */
const ACTIONS: Readonly<Record<string, string>> = {
  HeadBucket: 's3:ListBucket',
  ListObjectsV2: 's3:ListBucket',
  GetObject: 's3:GetObject',
  HeadObject: 's3:GetObject',
  PutObject: 's3:PutObject',
  CopyObject: 's3:PutObject',
  DeleteObject: 's3:DeleteObject',
  CreateMultipartUpload: 's3:PutObject',
  UploadPart: 's3:PutObject',
  CompleteMultipartUpload: 's3:PutObject',
  AbortMultipartUpload: 's3:AbortMultipartUpload',
};

/** S3 in path style over files on disk; bodies stream both ways. */
export function s3(model: ServiceModel, objects: ObjectStore): EdgeService {
  const uploads = multipartUploads();
  const buckets = new Map(model.buckets.map((bucket) => [bucket.name, bucket]));
  const placeOf = (path: string): Place => {
    const [, name = '', key = ''] = /^\/?([^/]*)\/?(.*)$/s.exec(path) ?? [];
    const bucket = buckets.get(name);
    if (bucket === undefined)
      throw new AwsError('NoSuchBucket', `The specified bucket does not exist: ${name}`, 404);
    return { bucket: name, bucketArn: bucket.arn, key: decodeURIComponent(key) };
  };
  const sourceOf = ({ headers }: IncomingMessage): Place | undefined => {
    const source = headers['x-amz-copy-source'];
    return source === undefined ? undefined : placeOf(String(source));
  };

  return {
    streams: true,
    throttled: { code: 'SlowDown', status: 503 },
    broken: { code: 'InternalError', status: 500 },

    operation: (request, path, query) => {
      const subresource = SUBRESOURCES.find((name) => query.has(name));
      const object = path.split('/').length > 2 && !/^\/[^/]*\/$/.test(path);
      const copies = request.method === 'PUT' && request.headers['x-amz-copy-source'] !== undefined;
      const target = copies ? 'copy' : object ? 'object' : 'bucket';
      const shape = [request.method, target, subresource].filter(Boolean).join(' ');
      const operation = OPERATIONS[shape];
      if (operation === undefined) throw unknownOperation('s3', shape);
      return operation;
    },

    needs: ({ operation, path, query, request }) => {
      const { bucketArn, key } = placeOf(path);
      const source = sourceOf(request);
      const own: Need = {
        action: ACTIONS[operation] ?? `s3:${operation}`,
        resource: key === '' ? bucketArn : `${bucketArn}/${key}`,
        context: { 's3:prefix': query.getAll('prefix') },
      };
      return source === undefined
        ? [own]
        : [own, { action: 's3:GetObject', resource: `${source.bucketArn}/${source.key}` }];
    },

    perform: async (call) => {
      const run = S3_OPERATIONS[call.operation] ?? MULTIPART_OPERATIONS[call.operation];
      if (run === undefined) throw unknownOperation('s3', call.operation);
      return run({ call, place: placeOf(call.path), source: sourceOf(call.request), objects, uploads });
    },

    refusal: ({ code, message, status }) => {
      const s3Code = code === 'AccessDeniedException' ? 'AccessDenied' : code;
      return xmlAnswer(
        `<Error><Code>${s3Code}</Code><Message>${escapeXml(message)}</Message></Error>`,
        status,
      );
    },

    cors: (request, path) => corsHeaders(buckets.get(path.split('/')[1] ?? ''), request),
  };
}
