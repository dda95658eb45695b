import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AwsError } from '../aws-error.ts';
import { awsChunked, type Unframed } from './aws-chunked.ts';
import { CHECKSUMS, type Digest } from './checksums.ts';

/** What came in with a body, once all of it is on disk. */
export interface Received {
  readonly sizeBytes: number;
  readonly etag: string;
  /** The checksum the writer sent, to go back to readers. */
  readonly checksum: Readonly<Record<string, string>>;
}

const MAX_PUT_BYTES = 5 * 1024 ** 3;

/**
 * Streams an upload to a file and holds it against all its writer said of it: length, Content-MD5,
 * signed SHA-256, checksum in a header or trailer.
 *
 * @throws {AwsError} as S3 would; the file is then of no use
 */
export async function receiveObject(request: IncomingMessage, file: string): Promise<Received> {
  const { headers } = request;
  const signedHash = String(headers['x-amz-content-sha256'] ?? '');
  if (signedHash.startsWith('STREAMING-AWS4'))
    throw new AwsError('NotImplemented', 'signed chunks are not supported', 501);
  const declaredBytes = Number(
    headers['x-amz-decoded-content-length'] ?? headers['content-length'] ?? Number.NaN,
  );
  if (Number.isNaN(declaredBytes)) {
    throw new AwsError('MissingContentLength', 'You must provide the Content-Length HTTP header.', 411);
  }
  if (declaredBytes > MAX_PUT_BYTES) {
    throw new AwsError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed object size.');
  }

  const { bytes, trailers }: Unframed = signedHash.startsWith('STREAMING-')
    ? awsChunked(request)
    : { bytes: request, trailers: new Map() };
  const checksumName = checksumOf(request);
  const md5 = createHash('md5');
  const sha256 = /^[0-9a-f]{64}$/.test(signedHash) ? createHash('sha256') : undefined;
  const checksum = checksumName === undefined ? undefined : CHECKSUMS[checksumName]?.();
  const digests = [md5, sha256, checksum].filter((digest): digest is Digest => digest !== undefined);

  let sizeBytes = 0;
  const measured = async function* () {
    for await (const part of bytes) {
      sizeBytes += part.length;
      for (const digest of digests) digest.update(part);
      yield part;
    }
  };
  await pipeline(Readable.from(measured(), { objectMode: false }), createWriteStream(file));

  const md5Bytes = md5.digest();
  if (sizeBytes !== declaredBytes) {
    throw new AwsError('IncompleteBody', `You did not provide ${declaredBytes} bytes, but ${sizeBytes}.`);
  }
  if (sha256 !== undefined && sha256.digest('hex') !== signedHash) {
    throw new AwsError(
      'XAmzContentSHA256Mismatch',
      'The provided x-amz-content-sha256 header does not match.',
    );
  }
  if (headers['content-md5'] !== undefined && headers['content-md5'] !== md5Bytes.toString('base64')) {
    throw new AwsError('BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
  const etag = `"${md5Bytes.toString('hex')}"`;
  if (checksum === undefined || checksumName === undefined) return { sizeBytes, etag, checksum: {} };
  const value = checksum.digest('base64');
  if (value !== (trailers.get(checksumName) ?? headers[checksumName])) {
    throw new AwsError('BadDigest', `The ${checksumName} you specified did not match what we received.`);
  }
  return { sizeBytes, etag, checksum: { [checksumName]: value } };
}

/** The checksum header or trailer of an upload. @throws {AwsError} when it is one we cannot compute */
function checksumOf({ headers }: IncomingMessage): string | undefined {
  const named = [headers['x-amz-trailer'], ...Object.keys(headers)].find(
    (name) => typeof name === 'string' && name.startsWith('x-amz-checksum-'),
  );
  if (named === undefined) return undefined;
  const name = String(named).toLowerCase();
  if (!(name in CHECKSUMS))
    throw new AwsError('NotImplemented', `${name} is not supported by the local service`, 501);
  return name;
}
