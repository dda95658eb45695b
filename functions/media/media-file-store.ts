import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { publicUrl } from './media.ts';
import type { MediaFiles } from './media-files.ts';

/** Media files in S3. */
export function mediaFileStore(
  client: S3Client,
  { bucket, mediaUrl }: { bucket: string; mediaUrl: string },
): MediaFiles {
  return {
    async *open({ object_key, etag, bytes }, range = { start: 0, end: bytes }) {
      if (etag === null) throw new Error(`${object_key} has not arrived yet`);
      const { Body } = await client.send(
        new GetObjectCommand({
          Bucket: bucket,
          Key: object_key,
          IfMatch: etag,
          Range: `bytes=${range.start}-${range.end - 1}`,
        }),
      );
      if (!Body) throw new Error(`${object_key} came without bytes`);
      yield* Body as AsyncIterable<Uint8Array>;
    },
    publicUrl: ({ object_key }) => publicUrl(object_key, mediaUrl),
  };
}
