import { damaged } from './damaged.ts';

/** A box of the ISO base media format, of which MP4, MOV and AVIF files are made. */
export interface Box {
  readonly type: string;
  readonly offset: number;
  /** Where its content begins and ends. */
  readonly start: number;
  readonly end: number;
}

/** Enough for the head of any box. */
export const HEAD_BYTES = 16;

/** Reads the head of a box that begins at `offset` of the file; a length of 0 means up to its container's end. */
export function boxAt(head: Buffer, offset: number, limit: number): Box {
  if (head.length < 8) throw damaged('a box has no head');
  const short = head.readUInt32BE(0);
  const isLong = short === 1;
  if (isLong && head.length < HEAD_BYTES) throw damaged('a box has no length');
  const length = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? limit - offset : short;
  const start = offset + (isLong ? 16 : 8);
  const end = offset + length;
  if (end < start || end > limit) throw damaged('a box runs past its end');
  return { type: head.toString('latin1', 4, 8), offset, start, end };
}

/** The boxes between two places of a buffer. */
export function boxesIn(bytes: Buffer, from: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= end; at = boxes.at(-1)?.end ?? end) {
    boxes.push(boxAt(bytes.subarray(at, at + HEAD_BYTES), at, end));
  }
  return boxes;
}
