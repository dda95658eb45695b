import { RequestError } from '../../shared/request-error.ts';
import { type Box, boxAt, boxesIn, HEAD_BYTES } from './box.ts';
import { damaged } from './damaged.ts';
import { inOrder, type Patch } from './patch.ts';
import { isShown, samplesOf } from './tracks.ts';

/** Reads a part of a file that is too large to be in memory. */
export type ReadAt = (start: number, end: number) => Promise<Buffer>;

/** What a film is played from, by what it lies in; the rest describes it, or is what cameras call free space. */
const PLAYED: Readonly<Record<string, ReadonlySet<string>>> = {
  film: new Set('ftyp styp pdin moov mdat wide moof mfra sidx ssix prft'.split(' ')),
  moov: new Set('mvhd iods trak mvex ctab clip'.split(' ')),
  trak: new Set('tkhd edts tref mdia tapt clip matt load imap trgr'.split(' ')),
  mdia: new Set('mdhd hdlr elng minf'.split(' ')),
};

/** Whether a box at the top of a film is none that it is played from. */
export const isDescription = ({ type }: Box): boolean => !PLAYED.film?.has(type);

/** An ordinary film has under ten boxes at its top; of one cut in fragments the rest is looked at as it passes. */
const MAX_TOP_BOXES = 64;
/** The index of a film of hours has a few megabytes. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Free space up to this is looked into, and left alone if there is nothing in it. */
const LOOKED_INTO_BYTES = 64 * 1024;

/** What must be written over a film, and how far that is known. */
export interface FilmMetadata {
  readonly patches: readonly Patch[];
  /** Where the first box begins that was not looked at. */
  readonly knownTo: number;
}

/**
 * What must be written over a film so that nothing in it tells where and with what it was taken: each box that
 * it is not played from becomes free space of the same length, each track nobody sees or hears too, and zeros
 * its samples, so that not a byte of the film itself moves.
 *
 * @throws {RequestError} invalid_request for a damaged file.
 */
export async function filmMetadata(read: ReadAt, fileBytes: number): Promise<FilmMetadata> {
  const patches: Patch[] = [];
  let at = 0;
  for (let count = 0; at + 8 <= fileBytes && count < MAX_TOP_BOXES; count += 1) {
    const box = boxAt(await read(at, Math.min(fileBytes, at + HEAD_BYTES)), at, fileBytes);
    if (box.type === 'moov') {
      if (box.end - box.offset > MAX_INDEX_BYTES) throw damaged('its index is too large');
      // One by one: a track of hours has more samples than a call takes arguments.
      for (const patch of inIndex(await read(box.offset, box.end), box.offset)) patches.push(patch);
    } else if (isDescription(box) && !(await isEmpty(box, read))) patches.push(freed(box));
    at = box.end;
  }
  if (patches.some(({ end }) => end > fileBytes)) throw damaged('a track runs past its end');
  const ordered = inOrder(patches);
  if (!ordered) throw damaged('its parts lie over each other');
  return { patches: ordered, knownTo: at };
}

async function isEmpty({ type, start, end }: Box, read: ReadAt): Promise<boolean> {
  if (start === end) return true;
  if (type !== 'free' || end - start > LOOKED_INTO_BYTES) return false;
  return isZero(await read(start, end));
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

function inIndex(index: Buffer, offset: number): Patch[] {
  const [moov] = boxesIn(index, 0, index.length);
  if (!moov) return [];
  const boxes = boxesIn(index, moov.start, moov.end);
  const unseen = boxes.filter((box) => box.type === 'trak' && !isShown(index, box));
  if (unseen.length > 0 && boxes.some(({ type }) => type === 'mvex')) {
    throw new RequestError(
      'invalid_request',
      'the film is cut in fragments that carry a track besides picture and sound, which cannot be taken out; send it as an ordinary MP4, or without that track',
    );
  }
  const described = [...describedIn(index, moov, 'moov'), ...unseen.map(freed)];
  const moved = described.map((patch) => ({
    ...patch,
    offset: patch.offset + offset,
    end: patch.end + offset,
  }));
  for (const track of unseen) for (const sample of samplesOf(index, track)) moved.push(sample);
  return moved;
}

/** What describes a film within a container of its index. */
function describedIn(index: Buffer, container: Box, type: keyof typeof PLAYED): Patch[] {
  return boxesIn(index, container.start, container.end).flatMap((box) => {
    if (!PLAYED[type]?.has(box.type)) {
      const isFree = box.type === 'free' && isZero(index.subarray(box.start, box.end));
      return isFree ? [] : [freed(box)];
    }
    if (!(box.type in PLAYED) || (box.type === 'trak' && !isShown(index, box))) return [];
    return describedIn(index, box, box.type);
  });
}

/** The box as free space. A length of 64 bits stands after the type and must stay. */
export function freed({ offset, start, end }: Box): Patch {
  const head = Buffer.alloc(start - offset - 4);
  head.write('free', 'latin1');
  if (start - offset === 16) head.writeBigUInt64BE(BigInt(end - offset), 4);
  return { offset: offset + 4, end, head };
}
