import { fileTypeFromBuffer } from 'file-type';
import { RequestError } from '../shared/request-error.ts';
import { type FileType, fileTypeOf, isUnspecific, TAKEN_TYPES } from './file-type.ts';

/** How many of a file's first bytes tell what it is. */
export const SNIFFED_BYTES = 4100;

/** What a file is by its first bytes; undefined if it is nothing that is taken. */
export async function sniff(head: Uint8Array): Promise<FileType | undefined> {
  const found = await fileTypeFromBuffer(head.subarray(0, SNIFFED_BYTES));
  return found && fileTypeOf(found.mime);
}

/** What a file's sender says of it. */
interface Claims {
  /** @default nothing */
  readonly declared?: string | undefined;
  /** Null for a form's part that came without one, as a field does. @default not of interest */
  readonly filename?: string | null;
}

/**
 * What a file is, by its bytes and not by its word; where it was declared to be something, both must agree.
 *
 * @throws {RequestError} invalid_request
 */
export async function judgedType(head: Uint8Array, { declared, filename }: Claims = {}): Promise<FileType> {
  const type = await sniff(head);
  if (!type) throw notTaken(head, filename);
  if (declared !== undefined && !isUnspecific(declared) && fileTypeOf(declared) !== type) {
    throw new RequestError(
      'invalid_request',
      `the file was declared as ${declared.slice(0, 100)}, but its bytes are ${type.mime}; declare what it is`,
    );
  }
  return type;
}

function notTaken(head: Uint8Array, filename: string | null | undefined): RequestError {
  if (head.length === 0)
    return new RequestError('invalid_request', 'the file is empty; send the bytes of an image or video');
  const field =
    filename === null
      ? ' (its part of the form has no filename, as a text field has none: attach the file, with curl by -F file=@photo.jpg)'
      : '';
  return new RequestError(
    'invalid_request',
    `the file's bytes are of no type that is taken; send ${TAKEN_TYPES}${field}`,
  );
}
