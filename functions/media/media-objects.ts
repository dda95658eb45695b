import type { ByteRange } from './media-files.ts';

/** What is known of a stored object. */
export interface ObjectFacts {
  readonly bytes: number;
  /** Names these very bytes. */
  readonly etag: string;
  /** The ETag of the upload it was made from, if it was. */
  readonly madeFrom: string | undefined;
}

/** An object about to be written for good. */
export interface NewObject {
  readonly objectKey: string;
  readonly mime: string;
  /** The ETag of the upload it is made from. */
  readonly madeFrom?: string;
}

/** How a write of an object ended; the ETag names the bytes it has now. */
export type Written = { readonly outcome: 'created'; readonly etag: string } | { readonly outcome: 'exists' };

/** A permission to write one object, once its length and type are as said. */
export interface UploadTerms {
  readonly objectKey: string;
  readonly mime: string;
  readonly bytes: number;
  readonly expiresInSeconds: number;
}

/**
 * The objects behind media. What is served is written once: where an object is already, a write is refused
 * and changes nothing, whoever comes late.
 */
export interface MediaObjects {
  /** A URL that takes exactly one type and one length. */
  uploadUrl(terms: UploadTerms): Promise<string>;
  /** Undefined where there is none. */
  find(objectKey: string): Promise<ObjectFacts | undefined>;
  /** The same, and the object's first bytes. */
  peek(objectKey: string, bytes: number): Promise<(ObjectFacts & { readonly head: Buffer }) | undefined>;
  /** Reads an object as it was found; undefined if it has been replaced since. */
  read(objectKey: string, etag: string, range: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Writes bytes of unknown number as they come, in parts. What `body` throws leaves nothing behind. */
  create(object: NewObject, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Written>;
  /** Copies an object as it was found, without its bytes passing through us. */
  copy(
    object: NewObject,
    from: { objectKey: string; etag: string },
  ): Promise<Written | { readonly outcome: 'gone' }>;
  /**
   * Writes over what is there: for what is made from an original, and comes out the same every time. The ETag
   * is returned.
   */
  replace(object: NewObject, body: Uint8Array): Promise<string>;
  remove(objectKey: string): Promise<void>;
}

/** Objects under unguessable names that never change may be kept for good by whoever fetched them. */
export const CACHE_CONTROL = 'public, max-age=31536000, immutable';
