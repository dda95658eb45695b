import { type Box, boxAt, HEAD_BYTES } from './box.ts';
import { damaged } from './damaged.ts';

/** Bytes to write over a stored file's own. */
export interface Patch {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Reads a part of a file that is too large to be in memory. */
export type ReadAt = (start: number, end: number) => Promise<Buffer>;

/** What says where and with what a film was taken: free texts, and a catalogue of them; at the top or in the index. */
const DESCRIBING = new Set(['udta', 'meta', 'uuid']);
/** What they may lie in. */
const CONTAINERS = new Set(['moov', 'trak']);

/** An ordinary film has under ten boxes at its top; one cut in fragments has no metadata beyond its first. */
const MAX_TOP_BOXES = 64;
/** The index of a film of hours has a few megabytes. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/**
 * What must be written over a film so that nothing in it tells where and with what it was taken: each
 * describing box becomes free space of the same length, so that not a byte of the film itself moves.
 *
 * @throws {RequestError} invalid_request for a damaged file.
 */
export async function filmMetadata(read: ReadAt, fileBytes: number): Promise<Patch[]> {
  const patches: Patch[] = [];
  let at = 0;
  for (let count = 0; at + 8 <= fileBytes && count < MAX_TOP_BOXES; count += 1) {
    const head = await read(at, Math.min(fileBytes, at + HEAD_BYTES));
    const box = boxAt(head, at, fileBytes);
    if (box.type === 'moov') {
      if (box.end - box.offset > MAX_INDEX_BYTES) throw damaged('its index is too large');
      const index = await read(box.offset, box.end);
      patches.push(...describedIn(index, box.offset));
    } else if (DESCRIBING.has(box.type)) patches.push(freed(box));
    at = box.end;
  }
  return patches;
}

/** The describing boxes within a container, found without recursion deeper than a film's structure. */
function describedIn(bytes: Buffer, offset: number, depth = 0): Patch[] {
  const container = boxAt(bytes, offset, offset + bytes.length);
  const patches: Patch[] = [];
  for (let at = container.start; at + 8 <= container.end; ) {
    const box = boxAt(bytes.subarray(at - offset), at, container.end);
    if (DESCRIBING.has(box.type)) patches.push(freed(box));
    else if (CONTAINERS.has(box.type) && depth < 2) {
      patches.push(
        ...describedIn(bytes.subarray(box.offset - offset, box.end - offset), box.offset, depth + 1),
      );
    }
    at = box.end;
  }
  return patches;
}

function freed({ offset, start, end }: Box): Patch {
  if (end - offset > MAX_INDEX_BYTES) throw damaged('its description is too large');
  const bytes = Buffer.alloc(end - offset - 4);
  bytes.write('free', 'latin1');
  // A length of 64 bits stands after the type and must stay.
  if (start - offset === 16) bytes.writeBigUInt64BE(BigInt(end - offset), 4);
  return { offset: offset + 4, bytes };
}

/** A file's bytes as they come, with patches written over them. */
export async function* patched(
  file: AsyncIterable<Uint8Array>,
  patches: readonly Patch[],
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of file) {
    const end = at + chunk.length;
    const touching = patches.filter(({ offset, bytes }) => offset < end && offset + bytes.length > at);
    const copy = touching.length > 0 ? Buffer.from(chunk) : chunk;
    for (const { offset, bytes } of touching) {
      const from = Math.max(offset, at);
      const to = Math.min(offset + bytes.length, end);
      copy.set(bytes.subarray(from - offset, to - offset), from - at);
    }
    yield copy;
    at = end;
  }
}
