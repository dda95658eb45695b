import type { ByteRange } from '../../../media/media-files.ts';

/** The largest video that goes in one piece; TikTok's limit for a chunk. In bytes. */
const MAX_WHOLE_BYTES = 64_000_000;

/** The size of chunks otherwise: between TikTok's 5 MB and 64 MB, and at most 1000 of them up to its 4 GB. */
const CHUNK_BYTES = 10_000_000;

/** How a video is cut, in the words of `source_info`. */
export interface Chunks {
  readonly video_size: number;
  readonly chunk_size: number;
  readonly total_chunk_count: number;
}

/** TikTok counts whole chunks only: the last one carries what is left over, so it may be nearly twice as long. */
export function chunksOf(video_size: number): Chunks {
  const chunk_size = video_size <= MAX_WHOLE_BYTES ? video_size : CHUNK_BYTES;
  return { video_size, chunk_size, total_chunk_count: Math.floor(video_size / chunk_size) };
}

/** The bytes of a chunk, counted from 0. */
export function chunkAt({ video_size, chunk_size, total_chunk_count }: Chunks, index: number): ByteRange {
  const start = index * chunk_size;
  return { start, end: index === total_chunk_count - 1 ? video_size : start + chunk_size };
}
