import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import * as v from 'valibot';
import type { FileType } from '../functions/media/file-type.ts';
import type { ComingFile } from '../functions/media/form-file.ts';
import { judgedType, SNIFFED_BYTES } from '../functions/media/sniff.ts';
import { RequestError } from '../functions/shared/request-error.ts';
import type { ApiAnswer, ApiCaller } from './api-caller.ts';
import { MAX_FORM_BYTES, tooLarge } from './form-limit.ts';

/** What became of a file: it lies under a key that can be registered, or the API would not have it. */
export type Forwarded =
  | { readonly outcome: 'stored'; readonly key: string }
  | { readonly outcome: 'refused'; readonly answer: ApiAnswer };

const UploadUrl = v.object({ upload_url: v.string(), key: v.string() });

const STORED_WITHIN_MS = 60_000;

/**
 * Sends a file on to storage while it comes. Its bytes are kept until the end, since the length it was
 * announced with is a guess: should the guess be wrong, they are sent again.
 */
export async function forwardFile(
  file: ComingFile,
  { api, expected }: { api: ApiCaller; expected: () => number | undefined },
): Promise<Forwarded> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let type: FileType | undefined;
  let early: Sending | Forwarded | undefined;
  for await (const chunk of file.stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES) throw tooLarge();
    if (type === undefined && bytes >= SNIFFED_BYTES) {
      type = await judgedType(Buffer.concat(chunks), file.declared);
      const guess = expected();
      if (guess !== undefined) early = await begin(file, { type, bytes: guess, api });
      if (early?.outcome === 'refused') return early;
      if (early?.outcome === 'sending') for (const each of chunks) await early.write(each);
    } else if (early?.outcome === 'sending') await early.write(chunk);
  }
  if (early?.outcome === 'sending') {
    if (early.bytes === bytes) return early.end();
    early.abandon();
  }
  type ??= await judgedType(Buffer.concat(chunks), file.declared);
  const sending = await begin(file, { type, bytes, api });
  if (sending.outcome === 'refused') return sending;
  for (const each of chunks) await sending.write(each);
  return sending.end();
}

/** A PUT under way. */
interface Sending {
  readonly outcome: 'sending';
  readonly bytes: number;
  write(chunk: Buffer): Promise<void>;
  end(): Promise<Forwarded>;
  abandon(): void;
}

async function begin(
  file: ComingFile,
  { type, bytes, api }: { type: FileType; bytes: number; api: ApiCaller },
): Promise<Sending | Extract<Forwarded, { outcome: 'refused' }>> {
  const answer = await api.post('/media/upload-url', {
    filename: file.filename ?? `upload.${type.extension}`,
    content_type: type.mime,
    size: bytes,
  });
  if (answer.status !== 200) return { outcome: 'refused', answer };
  const { upload_url, key } = v.parse(UploadUrl, JSON.parse(answer.body));
  const send = upload_url.startsWith('https:') ? httpsRequest : httpRequest;
  const put = send(upload_url, {
    method: 'PUT',
    headers: { 'content-type': type.mime, 'content-length': bytes },
    timeout: STORED_WITHIN_MS,
  });
  put.on('timeout', () => put.destroy(new Error('storage does not answer')));
  const answered = storageAnswer(put);
  let written = 0;
  return {
    outcome: 'sending',
    bytes,
    async write(chunk) {
      written += chunk.length;
      // More than announced cannot be sent; the end finds the lengths to differ.
      if (written > bytes || put.destroyed) return;
      if (!put.write(chunk)) await Promise.race([once(put, 'drain'), answered]);
    },
    async end() {
      put.end();
      const status = await answered;
      if (status === 200) return { outcome: 'stored', key };
      throw new RequestError('unavailable', 'the file could not be stored; send the form again');
    },
    abandon: () => put.destroy(),
  };
}

/** The status storage answers with; 0 where it does not. Never rejects: an abandoned request has no answer. */
function storageAnswer(put: ClientRequest): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  put.on('response', (response: IncomingMessage) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  put.on('error', () => resolve(0));
  put.on('close', () => resolve(0));
  return promise;
}
