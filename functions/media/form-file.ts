import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { RequestError } from '../shared/request-error.ts';
import { filenameOf } from './filename.ts';

/** The file of a form, in memory. */
export interface FormFile {
  /** Null where it has none, as a field has none. */
  readonly filename: string | null;
  /** As its sender says; nothing to be believed. */
  readonly declared: string | undefined;
  readonly content: Buffer;
}

/** What two requests with the same file have in common, whatever the boundary between their parts. */
export interface FormIdentity {
  readonly name: 'file';
  readonly filename: string | null;
  readonly type: string | null;
  readonly size: number;
  readonly sha256: string;
}

/** By which a form counts as the same request again; what its parts are written between does not matter. */
export const formDigest = ({ name, filename, type, size, sha256 }: FormIdentity): string =>
  createHash('sha256')
    .update(JSON.stringify([[name, filename, type, size, sha256]]))
    .digest('hex');

/** A form's file as it begins to come. */
export interface ComingFile {
  readonly filename: string | null;
  readonly declared: string | undefined;
  readonly stream: Readable;
}

const malformed = (what: string) =>
  new RequestError(
    'invalid_request',
    `the form is not acceptable: ${what}; send multipart/form-data with one part, "file", that is the file itself`,
  );

/** What a form has besides its file. The parser's types promise a name; a part need not have one. */
function strange(kind: 'part' | 'field', name: string | undefined): RequestError {
  if (name === 'file') return malformed('it has a second part "file"');
  return malformed(
    name === undefined ? 'it has a part without a name' : `it has another ${kind}, "${name.slice(0, 50)}"`,
  );
}

/**
 * Reads a form with one file while it comes. `take` gets the file at its first byte, and must read it to its end.
 *
 * @throws {RequestError} invalid_request for anything but one part "file"; what `take` throws.
 */
export async function readForm<T>(
  contentType: string,
  body: Readable,
  take: (file: ComingFile) => Promise<T>,
): Promise<{ taken: T; identity: FormIdentity }> {
  const parser = parserOf(contentType);
  const read = Promise.withResolvers<void>();
  const files: Promise<{ taken: T; identity: FormIdentity }>[] = [];
  parser.on('file', (name: string | undefined, stream, filename, _encoding, type) => {
    // Its end may be an error; whoever reads it sees that.
    stream.on('error', () => {});
    if (name !== 'file' || files.length > 0) {
      stream.resume();
      read.reject(strange('part', name));
      return;
    }
    const taking = identified({ filename: filenameOf(filename), declared: declaredType(type), stream }, take);
    taking.catch(read.reject);
    files.push(taking);
  });
  parser.on('field', (name: string | undefined) => read.reject(strange('field', name)));
  parser.on('finish', () => read.resolve());
  parser.on('error', () => read.reject(malformed('its parts cannot be told apart')));
  body.on('error', () => read.reject(malformed('it broke off')));
  body.on('close', () => {
    if (!body.readableEnded) read.reject(malformed('it broke off'));
  });
  body.pipe(parser);
  try {
    await read.promise;
  } finally {
    body.unpipe(parser);
  }
  const [file] = files;
  if (file === undefined) throw malformed('it has no part "file"');
  return file;
}

/** A part without a type counts as text, by RFC 7578; many clients give a file's part none. */
const declaredType = (type: string): string | undefined => (type === 'text/plain' ? undefined : type);

function parserOf(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType } as BusboyHeaders,
      limits: { parts: 10, fields: 1, headerPairs: 20 },
      // Without a type of its own a part is not one of text.
      isPartAFile: (name) => name === 'file',
    });
  } catch (error) {
    if (error instanceof Error) {
      throw malformed(
        /boundary/i.test(error.message) ? error.message.toLowerCase() : 'its boundary is too long',
      );
    }
    throw error;
  }
}

async function identified<T>(
  file: ComingFile,
  take: (file: ComingFile) => Promise<T>,
): Promise<{ taken: T; identity: FormIdentity }> {
  const hash = createHash('sha256');
  let size = 0;
  file.stream.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    size += chunk.length;
  });
  const taken = await take(file);
  const { filename, declared: type = null } = file;
  return { taken, identity: { name: 'file', filename, type, size, sha256: hash.digest('hex') } };
}
