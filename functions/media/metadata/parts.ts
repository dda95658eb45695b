import { damaged } from './damaged.ts';

/** A part of a file, or bytes that were not in it. */
type Part = { readonly from: number; to: number } | Buffer;

/**
 * An image has thousands of parts at most; a file of nothing but parts would cost more memory to remember than it
 * has bytes.
 */
const MAX_PARTS = 1_000_000;

/** The parts of an image, each of which is kept or only described it. */
export interface Parts {
  /** Belongs to the picture. */
  keep(from: number, to: number): void;
  /** Stands in the picture in place of something of the file. */
  insert(bytes: Buffer): void;
  /** Belongs to the description. */
  drop(from: number, to: number): void;
  /** All that is kept, with what stands before it. */
  picture(...before: Buffer[]): Buffer;
  description(): Buffer;
}

/**
 * Sorts the parts of a file. Those that meet count as one.
 *
 * @throws {RequestError} invalid_request while it is used, for a file of too many parts.
 */
export function partsOf(file: Buffer): Parts {
  const kept: Part[] = [];
  const dropped: Part[] = [];
  let sorted = 0;
  const push = (parts: Part[], part: Part) => {
    if (kept.length + dropped.length >= MAX_PARTS) throw damaged('it has too many parts');
    parts.push(part);
  };
  const add = (parts: Part[], from: number, end: number) => {
    // The last one may lack a byte that only fills it up.
    const to = Math.min(end, file.length);
    sorted += to - from;
    if (sorted > file.length) throw damaged('its parts lie over each other');
    const last = parts.at(-1);
    if (last !== undefined && 'to' in last && last.to === from) last.to = to;
    else push(parts, { from, to });
  };
  return {
    keep: (from, to) => add(kept, from, to),
    insert: (bytes) => push(kept, bytes),
    drop: (from, to) => add(dropped, from, to),
    picture: (...before) => joined(file, [...before, ...kept]),
    description: () => joined(file, dropped),
  };
}

/** Without a buffer for each part in between. */
function joined(file: Buffer, parts: readonly Part[]): Buffer {
  const lengths = parts.map((part) => ('to' in part ? part.to - part.from : part.length));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    at += 'to' in part ? file.copy(bytes, at, part.from, part.to) : part.copy(bytes, at);
  }
  return bytes;
}
