import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { RequestHandler } from './api.ts';
import { answerError } from './error-answer.ts';
import { splitTarget } from './http-event.ts';

/** Registered bytes never change, so they may be kept for good. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

/**
 * Serves the media bucket's objects as the CDN does, whole or by range. The path is the object's key, so what
 * lies under another prefix than that of the paths that lead here is not public.
 */
export function mediaHandler(options: { readonly s3: S3Client; readonly bucket: string }): RequestHandler {
  const { s3, bucket } = options;
  return async (request, response) => {
    const key = keyOf(request.url ?? '/');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !key?.startsWith('media/')) {
      answerError(response, 'not_found', 'there is no such media');
      return;
    }
    try {
      const object = await s3.send(
        new GetObjectCommand({ Bucket: bucket, Key: key, Range: request.headers.range }),
      );
      response.writeHead(object.ContentRange ? 206 : 200, {
        'content-type': object.ContentType ?? 'application/octet-stream',
        'cache-control': CACHE_CONTROL,
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'accept-ranges': 'bytes',
        ...(object.ContentLength !== undefined && { 'content-length': object.ContentLength }),
        ...(object.ContentRange && { 'content-range': object.ContentRange }),
        ...(object.ETag && { etag: object.ETag }),
      });
      const { Body } = object;
      if (!(Body instanceof Readable)) throw new Error(`S3 gave no stream for ${key}`);
      if (request.method === 'GET') await pipeline(Body, response);
      else {
        Body.destroy();
        response.end();
      }
    } catch (error) {
      if (response.destroyed) return;
      if (!(error instanceof S3ServiceException)) throw error;
      if (error.name === 'InvalidRange') answerError(response, 'range_not_satisfiable', 'no such range');
      else if (error.name === 'NoSuchKey') answerError(response, 'not_found', 'there is no such media');
      else throw error;
    }
  };
}

function keyOf(target: string): string | undefined {
  try {
    return decodeURIComponent(splitTarget(target)[0].slice(1));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
