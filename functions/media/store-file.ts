import type { MediaKind } from '../channels/platform.ts';
import { RequestError } from '../shared/request-error.ts';
import type { Limits } from '../workspaces/workspace.ts';
import { checkFileSize } from './file-cap.ts';
import type { FileType } from './file-type.ts';
import type { MediaObjects, NewObject, Written } from './media-objects.ts';
import { bareFilm } from './metadata/bare-film.ts';
import { bareImage } from './metadata/bare-image.ts';
import { damaged } from './metadata/damaged.ts';
import { judgedType, SNIFFED_BYTES } from './sniff.ts';

/** A file that is somewhere whole, to be read in parts; `etag` names its very bytes. */
export interface WholeFile {
  readonly bytes: number;
  readonly etag: string;
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Where it lies, if it is an object that can be copied. */
  readonly objectKey?: string;
}

/** What became of a file once it is stored for good. */
export interface StoredMedia {
  readonly kind: MediaKind;
  readonly mime: string;
  /** Of what is stored, which is without the metadata of what came. */
  readonly bytes: number;
  readonly etag: string;
}

interface Wanted {
  readonly objectKey: string;
  readonly limits: Pick<Limits, 'max_file_bytes'>;
  /** What its sender says it is. @default nothing */
  readonly declared?: string | undefined;
}

/**
 * Judges a file by its bytes and stores it for good, without its metadata. Safe to repeat for the same file:
 * what is stored already is found and kept.
 *
 * @throws {RequestError} invalid_request for what is not taken or damaged; payload_too_large; conflict when
 * another file has been stored under the same name.
 */
export async function storeFile(
  file: WholeFile,
  wanted: Wanted,
  objects: MediaObjects,
): Promise<StoredMedia> {
  const type = await judgedType(await part(file, 0, Math.min(file.bytes, SNIFFED_BYTES)), wanted);
  checkFileSize(file.bytes, wanted.limits, type);
  const object = { objectKey: wanted.objectKey, mime: type.mime, madeFrom: file.etag.replaceAll('"', '') };
  const { written, bytes } = await write(file, { type, object, objects });
  const { kind, mime } = type;
  if (written.outcome === 'created') return { kind, mime, bytes, etag: written.etag };
  if (written.outcome === 'gone') throw replaced();
  const there = await objects.find(object.objectKey);
  if (there?.madeFrom !== object.madeFrom) throw replaced();
  return { kind, mime, bytes: there.bytes, etag: there.etag };
}

const replaced = () =>
  new RequestError(
    'conflict',
    'the uploaded bytes were replaced while they were being registered; request a new upload URL and send the file again',
  );

interface Writing {
  readonly type: FileType;
  readonly object: NewObject;
  readonly objects: MediaObjects;
}

async function write(
  file: WholeFile,
  { type, object, objects }: Writing,
): Promise<{ written: Written | { outcome: 'gone' }; bytes: number }> {
  if (type.kind === 'image') {
    const bare = bareImage(type.mime, await part(file, 0, file.bytes));
    return { written: await objects.create(object, bare), bytes: bare.length };
  }
  const { bytes, etag, objectKey } = file;
  const rewrite = await bareFilm(type.mime, (start, end) => part(file, start, end), bytes);
  if (!rewrite && objectKey !== undefined) {
    return { written: await objects.copy(object, { objectKey, etag }), bytes };
  }
  const whole = file.read(0, bytes);
  return { written: await objects.create(object, rewrite ? rewrite(whole) : whole), bytes };
}

async function part(file: WholeFile, start: number, end: number): Promise<Buffer> {
  if (start === end) throw damaged('it is empty');
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read(start, end)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface ObjectToRead {
  readonly objectKey: string;
  readonly etag: string;
  readonly bytes: number;
  /** Its first bytes, if they are at hand. */
  readonly head?: Buffer;
}

/** An object as a file to be read in parts. @throws {RequestError} conflict while it is read, if it is replaced */
export function fileInStore(
  objects: MediaObjects,
  { objectKey, etag, bytes, head = Buffer.alloc(0) }: ObjectToRead,
): WholeFile {
  return {
    objectKey,
    etag,
    bytes,
    async *read(start, end) {
      if (end <= head.length) {
        yield head.subarray(start, end);
        return;
      }
      const body = await objects.read(objectKey, etag, { start, end });
      if (!body) throw replaced();
      yield* body;
    },
  };
}
