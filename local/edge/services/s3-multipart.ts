import { AwsError } from '../aws-error.ts';
import type { Answer } from '../call.ts';
import { readAll } from '../read-all.ts';
import {
  chosenParts,
  joinParts,
  type MultipartUpload,
  type MultipartUploads,
  type NamedPart,
} from '../s3/multipart-uploads.ts';
import { failed, mayWrite } from '../s3/preconditions.ts';
import { receiveObject } from '../s3/receive-object.ts';
import { describedBy, type S3Work } from './s3-operations.ts';
import { escapeXml, unescapeXml, xmlAnswer } from './s3-xml.ts';

const MAX_PARTS = 10_000;

interface MultipartWork extends S3Work {
  readonly uploads: MultipartUploads;
}

/** What the operations of an upload in parts do, as `@aws-sdk/lib-storage` uses them. */
export const MULTIPART_OPERATIONS: Readonly<
  Record<string, (work: MultipartWork) => Promise<Answer> | Answer>
> = {
  CreateMultipartUpload: ({ call, place: { bucket, key }, uploads }) => {
    const { id } = uploads.begin({ bucket, key, headers: describedBy(call) });
    return xmlAnswer(
      `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${escapeXml(key)}</Key>` +
        `<UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  },
  UploadPart: uploadPart,
  CompleteMultipartUpload: complete,
  AbortMultipartUpload: (work) => {
    const upload = uploadOf(work);
    work.uploads.end(upload);
    discardParts(work, upload);
    return { status: 204, headers: {} };
  },
};

async function uploadPart(work: MultipartWork): Promise<Answer> {
  const { call, objects } = work;
  uploadOf(work);
  const number = Number(call.query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS) {
    throw new AwsError('InvalidArgument', `Part number must be between 1 and ${MAX_PARTS}`);
  }
  const file = objects.newFile();
  try {
    const { sizeBytes, etag, checksum } = await receiveObject(call.request, file);
    // It may have been aborted while the bytes came.
    const { parts } = uploadOf(work);
    const before = parts.get(number);
    parts.set(number, { file, sizeBytes, etag });
    if (before !== undefined) objects.discard(before.file);
    return { status: 200, headers: { etag, ...checksum } };
  } catch (error) {
    objects.discard(file);
    throw error;
  }
}

async function complete(work: MultipartWork): Promise<Answer> {
  const { call, place, objects, uploads } = work;
  const { bucket, key } = place;
  const named = namedParts((await readAll(call.request)).toString());
  const upload = uploadOf(work);
  const parts = chosenParts(upload, named);
  uploads.end(upload);
  const file = objects.newFile();
  try {
    const made = { bucket, key, headers: upload.headers, ...(await joinParts(parts, file)) };
    if (objects.commit(made, file, (before) => mayWrite(call.request.headers, before)) === undefined) {
      throw failed('If-None-Match');
    }
    return xmlAnswer(
      `<CompleteMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${escapeXml(key)}</Key>` +
        `<ETag>${escapeXml(made.etag)}</ETag></CompleteMultipartUploadResult>`,
    );
  } catch (error) {
    objects.discard(file);
    throw error;
  } finally {
    discardParts(work, upload);
  }
}

function uploadOf({ call, place: { bucket, key }, uploads }: MultipartWork): MultipartUpload {
  return uploads.find({ bucket, key, id: call.query.get('uploadId') ?? '' });
}

function discardParts({ objects }: MultipartWork, { parts }: MultipartUpload): void {
  for (const { file } of parts.values()) objects.discard(file);
}

/** Reads the list as the SDK writes it. @throws {AwsError} MalformedXML */
function namedParts(xml: string): readonly NamedPart[] {
  const parts = [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)<\/PartNumber>/.exec(part)?.[1]),
    etag: unescapeXml(/<ETag>(.*?)<\/ETag>/s.exec(part)?.[1] ?? ''),
  }));
  if (parts.length === 0 || parts.some(({ number }) => Number.isNaN(number))) {
    throw new AwsError('MalformedXML', 'The XML you provided was not well-formed or names no part');
  }
  return parts;
}
