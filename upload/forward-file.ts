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
    type = await judgedType(kept.all(), file);
    const bytes = expected();
    if (bytes === undefined) continue;
    // The rest waits on the line: taken in now, it would only compete with the question where it goes.
    const place = await placeFor(file, { type, bytes, api });
    early = send(place, kept);
    early.catch(() => {});
  }
  kept.end();
  type ??= await judgedType(kept.all(), file);
  const sent = (await early) ?? 'wrong length';
  if (sent !== 'wrong length') return sent;
  const again = await send(await placeFor(file, { type, bytes: kept.bytes(), api }), kept);
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

/** Where a file of so many bytes may be put, or the API's refusal of it. */
type Place =
  | {
      readonly outcome: 'open';
      readonly url: string;
      readonly key: string;
      readonly mime: string;
      readonly bytes: number;
    }
  | { readonly outcome: 'refused'; readonly answer: ApiAnswer };

async function placeFor(
  { filename }: ComingFile,
  { type, bytes, api }: { readonly type: FileType; readonly bytes: number; readonly api: ApiCaller },
): Promise<Place> {
  const answer = await api.post('/media/upload-url', {
    filename: filename ?? `upload.${type.extension}`,
    content_type: type.mime,
    size: bytes,
  });
  if (answer.status !== 200) return { outcome: 'refused', answer };
  const { upload_url: url, key } = v.parse(UploadUrl, JSON.parse(answer.body));
  return { outcome: 'open', url, key, mime: type.mime, bytes };
}

/** Sends exactly as many bytes as the place is for, as they come. */
async function send(place: Place, kept: ReturnType<typeof keptChunks>): Promise<Forwarded | 'wrong length'> {
  if (place.outcome === 'refused') return place;
  const { url, key, mime, bytes } = place;
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  const put = request(url, {
    method: 'PUT',
    headers: { 'content-type': mime, 'content-length': bytes },
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
