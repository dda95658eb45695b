import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AwsError } from '../aws-error.ts';
import type { Received } from './receive-object.ts';

const SMALLEST_PART_BYTES = 5 * 1024 ** 2;

/** An object on its way in piece by piece. */
export interface MultipartUpload {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  /** What the object will carry, said at the start. */
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Map<number, Part>;
}

/** Bytes that have arrived under a number. */
export interface Part extends Omit<Received, 'checksum'> {
  readonly file: string;
}

/** A part as the writer names it at the end. */
export interface NamedPart {
  readonly number: number;
  readonly etag: string;
}

/** The uploads under way. */
export interface MultipartUploads {
  begin(upload: Pick<MultipartUpload, 'bucket' | 'key' | 'headers'>): MultipartUpload;
  /** @throws {AwsError} NoSuchUpload, also for an upload to another key */
  find(place: { readonly bucket: string; readonly key: string; readonly id: string }): MultipartUpload;
  /** Ends the upload: whoever names it from now on finds none. Its parts' files are the caller's to remove. */
  end(upload: MultipartUpload): void;
}

/**
 * Keeps uploads in memory alone: one that is under way when the edge ends can never be completed, and
 * its parts are files no object names, which the object store removes when it starts.
 */
export function multipartUploads(): MultipartUploads {
  const uploads = new Map<string, MultipartUpload>();
  return {
    begin(given) {
      const upload = { ...given, id: randomUUID(), parts: new Map() };
      uploads.set(upload.id, upload);
      return upload;
    },
    find({ bucket, key, id }) {
      const upload = uploads.get(id);
      if (upload === undefined || upload.bucket !== bucket || upload.key !== key) {
        throw new AwsError(
          'NoSuchUpload',
          'The specified upload does not exist, was aborted or completed',
          404,
        );
      }
      return upload;
    },
    end: ({ id }) => void uploads.delete(id),
  };
}

/** The parts an object is made of, in order. @throws {AwsError} InvalidPart, InvalidPartOrder, EntityTooSmall */
export function chosenParts({ parts }: MultipartUpload, named: readonly NamedPart[]): readonly Part[] {
  if (named.some(({ number }, index) => index > 0 && number <= (named[index - 1]?.number ?? 0))) {
    throw new AwsError('InvalidPartOrder', 'The list of parts was not in ascending order');
  }
  return named.map(({ number, etag }, index) => {
    const part = parts.get(number);
    if (part === undefined || part.etag.replaceAll('"', '') !== etag.replaceAll('"', '')) {
      throw new AwsError(
        'InvalidPart',
        `Part ${number} could not be found, or its entity tag does not match`,
      );
    }
    if (part.sizeBytes < SMALLEST_PART_BYTES && index < named.length - 1) {
      throw new AwsError('EntityTooSmall', `Part ${number} is smaller than the minimum of 5 MiB`);
    }
    return part;
  });
}

/** Streams the parts one after another into a file; the answer is as S3 tags such an object: the MD5 of MD5s, and how many. */
export async function joinParts(
  parts: readonly Part[],
  file: string,
): Promise<Pick<Part, 'sizeBytes' | 'etag'>> {
  const bytes = async function* () {
    for (const part of parts) yield* createReadStream(part.file);
  };
  await pipeline(Readable.from(bytes(), { objectMode: false }), createWriteStream(file));
  const digest = createHash('md5');
  for (const { etag } of parts) digest.update(Buffer.from(etag.replaceAll('"', ''), 'hex'));
  return {
    sizeBytes: parts.reduce((sum, part) => sum + part.sizeBytes, 0),
    etag: `"${digest.digest('hex')}-${parts.length}"`,
  };
}
