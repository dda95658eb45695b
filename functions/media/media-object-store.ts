import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { CACHE_CONTROL, type MediaObjects, type NewObject } from './media-objects.ts';
import { storeInParts } from './part-store.ts';

/** The name of the metadata that remembers which upload an object was made from. */
const MADE_FROM = 'made-from';

/** S3's word for a condition that does not hold. */
const isRefused = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  (error.name === 'PreconditionFailed' || error.$metadata.httpStatusCode === 412);

const isAbsent = (error: unknown): boolean =>
  error instanceof NotFound || (error instanceof S3ServiceException && error.name === 'NoSuchKey');

/** Media objects in an S3 bucket. */
export function mediaObjectStore(client: S3Client, bucket: string): MediaObjects {
  const described = ({ objectKey, mime, madeFrom }: NewObject) => ({
    Bucket: bucket,
    Key: objectKey,
    ContentType: mime,
    CacheControl: CACHE_CONTROL,
    ...(madeFrom !== undefined && { Metadata: { [MADE_FROM]: madeFrom.replaceAll('"', '') } }),
  });

  return {
    uploadUrl: ({ objectKey, mime, bytes, expiresInSeconds }) =>
      getSignedUrl(
        client,
        new PutObjectCommand({ Bucket: bucket, Key: objectKey, ContentType: mime, ContentLength: bytes }),
        // The presigner leaves both out of the signature unless told, and then anything could be sent.
        { expiresIn: expiresInSeconds, signableHeaders: new Set(['content-type', 'content-length', 'host']) },
      ),

    async find(objectKey) {
      try {
        const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: objectKey }));
        return {
          bytes: head.ContentLength ?? 0,
          etag: head.ETag ?? '',
          madeFrom: head.Metadata?.[MADE_FROM],
        };
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    async peek(objectKey, bytes) {
      try {
        const part = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: objectKey, Range: `bytes=0-${bytes - 1}` }),
        );
        return {
          // bytes 0-99/1234
          bytes: Number(part.ContentRange?.split('/')[1] ?? part.ContentLength),
          etag: part.ETag ?? '',
          madeFrom: part.Metadata?.[MADE_FROM],
          head: Buffer.from((await part.Body?.transformToByteArray()) ?? []),
        };
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    async read(objectKey, etag, { start, end }) {
      try {
        const { Body } = await client.send(
          new GetObjectCommand({
            Bucket: bucket,
            Key: objectKey,
            IfMatch: etag,
            Range: `bytes=${start}-${end - 1}`,
          }),
        );
        return Body as AsyncIterable<Uint8Array>;
      } catch (error) {
        if (isRefused(error) || isAbsent(error)) return undefined;
        throw error;
      }
    },

    async create(object, body) {
      const params = { ...described(object), IfNoneMatch: '*' };
      try {
        if (!(body instanceof Uint8Array)) {
          return { outcome: 'created', etag: await storeInParts(client, params, body) };
        }
        const { ETag = '' } = await client.send(new PutObjectCommand({ ...params, Body: body }));
        return { outcome: 'created', etag: ETag };
      } catch (error) {
        if (isRefused(error)) return { outcome: 'exists' };
        throw error;
      }
    },

    async copy(object, from) {
      try {
        const { CopyObjectResult } = await client.send(
          new CopyObjectCommand({
            ...described(object),
            CopySource: `${bucket}/${from.objectKey}`,
            CopySourceIfMatch: from.etag,
            MetadataDirective: 'REPLACE',
            IfNoneMatch: '*',
          }),
        );
        return { outcome: 'created', etag: CopyObjectResult?.ETag ?? '' };
      } catch (error) {
        if (isAbsent(error)) return { outcome: 'gone' };
        if (!isRefused(error)) throw error;
        // One word for two refusals: what the target is tells which.
        const isThere = (await this.find(object.objectKey)) !== undefined;
        return { outcome: isThere ? 'exists' : 'gone' };
      }
    },

    async replace(object, body) {
      const { ETag = '' } = await client.send(new PutObjectCommand({ ...described(object), Body: body }));
      return ETag;
    },

    async remove(objectKey) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: objectKey }));
    },
  };
}
