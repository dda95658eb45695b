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

/**
 * What a file is, by its bytes and not by its word; where it was declared to be something, both must agree.
 *
 * @throws {RequestError} invalid_request
 */
export async function judgedType(head: Uint8Array, declared?: string): Promise<FileType> {
  const type = await sniff(head);
  if (!type) {
    throw new RequestError(
      'invalid_request',
      `the file's bytes are of no type that is taken; send ${TAKEN_TYPES}`,
    );
  }
  if (declared !== undefined && !isUnspecific(declared) && fileTypeOf(declared) !== type) {
    throw new RequestError(
      'invalid_request',
      `the file was declared as ${declared.slice(0, 100)}, but its bytes are ${type.mime}; declare what it is`,
    );
  }
  return type;
}
