import { RequestError } from '../shared/request-error.ts';
import type { Limits } from '../workspaces/workspace.ts';
import type { FileType } from './file-type.ts';

/** No file is larger than this, whatever the plan (interface, section 8). */
export const MAX_FILE_BYTES = 1024 * 1024 * 1024;

/**
 * Images are held in memory, to leave their metadata out and to make thumbnails of them; none that can be shown,
 * of 64 megapixels at most, need be larger.
 */
export const MAX_IMAGE_BYTES = 100 * 1024 * 1024;

/** How many bytes a file of a workspace may have. */
export const fileCap = (limits: Pick<Limits, 'max_file_bytes'>): number =>
  Math.min(MAX_FILE_BYTES, limits.max_file_bytes);

/** The refusal of a file that is too large. */
export const tooLarge = (
  capBytes: number,
  what = `a file may have at most ${capBytes} bytes on this plan`,
): RequestError => new RequestError('payload_too_large', what, { details: { limit: capBytes } });

const IMAGE_TOO_LARGE = `an image may have at most ${MAX_IMAGE_BYTES} bytes on any plan; send it with fewer pixels, or compressed more`;

/** @throws {RequestError} payload_too_large */
export function checkFileSize(bytes: number, limits: Pick<Limits, 'max_file_bytes'>, type?: FileType): void {
  const cap = fileCap(limits);
  if (bytes > cap) throw tooLarge(cap);
  if (type?.kind === 'image' && bytes > MAX_IMAGE_BYTES) throw tooLarge(MAX_IMAGE_BYTES, IMAGE_TOO_LARGE);
}
