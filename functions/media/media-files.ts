import type { MediaRow } from './media.ts';

/** A part of a file: its first byte, and the first one after it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file whose bytes are stored: what reading it needs. */
export type StoredFile = Pick<MediaRow, 'object_key' | 'etag' | 'bytes'>;

/** The bytes of media, for those who publish them. Never held in memory whole. */
export interface MediaFiles {
  /**
   * Reads a file, or a part of it. Exactly the registered bytes come, or none: should the object be another
   * than the row knows, reading fails.
   *
   * @throws {Error} when the file has not arrived, or is gone.
   */
  open(media: StoredFile, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Its public address, for platforms that fetch media themselves. */
  publicUrl(media: Pick<MediaRow, 'object_key'>): string;
}
