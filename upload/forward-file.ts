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
  const kept = keptChunks();
  let type: FileType | undefined;
  let early: Promise<Forwarded | 'wrong length'> | undefined;
  for await (const chunk of file.stream as AsyncIterable<Buffer>) {
    kept.add(chunk);
    if (kept.bytes() > MAX_FORM_BYTES) throw tooLarge();
    if (type !== undefined || kept.bytes() < SNIFFED_BYTES) continue;
    type = await judgedType(kept.all(), file.declared);
    const bytes = expected();
    // Not waited for: what comes meanwhile is kept, and goes out as soon as there is somewhere to send it.
    if (bytes !== undefined) early = send(file, { type, bytes, kept, api });
    early?.catch(() => {});
  }
  kept.end();
  type ??= await judgedType(kept.all(), file.declared);
  const sent = (await early) ?? 'wrong length';
  if (sent !== 'wrong length') return sent;
  const again = await send(file, { type, bytes: kept.bytes(), kept, api });
  if (again === 'wrong length') throw new Error('the number of bytes received is not what was counted');
  return again;
}

/** The bytes of a file so far, which can be read again and again while more come. */
function keptChunks() {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isWhole = false;
  let more = Promise.withResolvers<void>();
  const changed = () => {
    more.resolve();
    more = Promise.withResolvers<void>();
  };
  return {
    bytes: () => bytes,
    all: () => Buffer.concat(chunks),
    add(chunk: Buffer) {
      chunks.push(chunk);
      bytes += chunk.length;
      changed();
    },
    end() {
      isWhole = true;
      changed();
    },
    async *read(): AsyncGenerator<Buffer> {
      for (let index = 0; ; ) {
        const chunk = chunks[index];
        if (chunk) {
          yield chunk;
          index += 1;
        } else if (isWhole) return;
        else await more.promise;
      }
    },
  };
}

interface Sending {
  readonly type: FileType;
  readonly bytes: number;
  readonly kept: ReturnType<typeof keptChunks>;
  readonly api: ApiCaller;
}

/** Asks the API where to, and sends exactly so many bytes there. */
async function send(
  { filename }: ComingFile,
  { type, bytes, kept, api }: Sending,
): Promise<Forwarded | 'wrong length'> {
  const answer = await api.post('/media/upload-url', {
    filename: filename ?? `upload.${type.extension}`,
    content_type: type.mime,
    size: bytes,
  });
  if (answer.status !== 200) return { outcome: 'refused', answer };
  const { upload_url, key } = v.parse(UploadUrl, JSON.parse(answer.body));
  const request = upload_url.startsWith('https:') ? httpsRequest : httpRequest;
  const put = request(upload_url, {
    method: 'PUT',
    headers: { 'content-type': type.mime, 'content-length': bytes },
    timeout: STORED_WITHIN_MS,
  });
  put.on('timeout', () => put.destroy(new Error('storage does not answer')));
  const answered = storageAnswer(put);
  let written = 0;
  for await (const chunk of kept.read()) {
    written += chunk.length;
    if (written > bytes || put.destroyed) break;
    if (!put.write(chunk)) await Promise.race([once(put, 'drain'), answered]);
  }
  if (written !== bytes && !put.destroyed) {
    put.destroy();
    return 'wrong length';
  }
  put.end();
  if ((await answered) === 200) return { outcome: 'stored', key };
  throw new RequestError('unavailable', 'the file could not be stored; send the form again');
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
