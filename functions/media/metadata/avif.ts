import { type Box, boxesIn } from './box.ts';
import { damaged, refusePolyglot } from './damaged.ts';
import { partsOf } from './parts.ts';

/** A picture of many tiles has thousands; a file can claim more than it has bytes. */
const MAX_EXTENTS = 100_000;

/** The kinds of items that describe a picture: EXIF, and XMP as a MIME item. */
const DESCRIBING = new Set(['Exif', 'mime']);

/** What the pictures are drawn from; other boxes at the top describe them, or are what an editor calls free space. */
const DRAWN = new Set(['ftyp', 'meta', 'mdat', 'moov']);

/**
 * An AVIF with zeros where its EXIF and XMP were. How it is turned is not among them: that is a property of
 * the picture.
 *
 * @throws {RequestError} invalid_request for a damaged file, or one that is a page too.
 */
export function bareAvif(file: Buffer): Buffer {
  const top = boxesIn(file, 0, file.length);
  const meta = top.find(({ type }) => type === 'meta');
  if (!meta) throw damaged('it has no description of its pictures');
  const inside = boxesIn(file, meta.start + 4, meta.end);
  const named = (type: string) => inside.find((box) => box.type === type);
  const [infos, places, inline] = [named('iinf'), named('iloc'), named('idat')];
  if (!infos || !places) throw damaged('it does not say where its pictures are');
  const ids = describingItems(file, infos);
  const bare = Buffer.from(file);
  const parts = partsOf(file);
  for (const { type, start, end } of top) {
    if (DRAWN.has(type)) continue;
    parts.drop(start, end);
    bare.fill(0, start, end);
  }
  for (const { id, start, end, isInline } of extents(file, places)) {
    if (!ids.has(id)) continue;
    const from = isInline ? (inline?.start ?? 0) : 0;
    if (from + end > file.length) throw damaged('an item runs past its end');
    parts.drop(from + start, from + end);
    bare.fill(0, from + start, from + end);
  }
  refusePolyglot({ metadata: parts.description(), trailing: Buffer.alloc(0) });
  return bare;
}

function describingItems(file: Buffer, infos: Box): Set<number> {
  const isWide = file[infos.start] !== 0;
  const entries = boxesIn(file, infos.start + (isWide ? 8 : 6), infos.end);
  return new Set(
    entries.flatMap(({ start }) => {
      const hasWideId = file[start] === 3;
      const type = file.toString('latin1', start + (hasWideId ? 10 : 8), start + (hasWideId ? 14 : 12));
      return DESCRIBING.has(type)
        ? [hasWideId ? file.readUInt32BE(start + 4) : file.readUInt16BE(start + 4)]
        : [];
    }),
  );
}

/** Where each item's bytes lie (ISO/IEC 14496-12, ItemLocationBox); fields have the sizes its head gives. */
function* extents(file: Buffer, { start, end }: Box) {
  const version = file[start] ?? 0;
  const sizes = file.readUInt16BE(start + 4);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  const wide = version === 2 ? 4 : 2;
  let at = start + 6;
  const take = (size: number): number => {
    if (at + size > end) throw damaged('its places run past their end');
    const value = size === 0 ? 0 : size === 8 ? Number(file.readBigUInt64BE(at)) : file.readUIntBE(at, size);
    at += size;
    return value;
  };
  const count = take(wide);
  let found = 0;
  for (let item = 0; item < count; item += 1) {
    const id = take(wide);
    const isInline = version > 0 && (take(2) & 15) === 1;
    take(2);
    const base = take(baseSize);
    const pieces = take(2);
    found += pieces;
    if (found > MAX_EXTENTS) throw damaged('it has too many parts');
    for (let piece = 0; piece < pieces; piece += 1) {
      take(indexSize);
      const from = base + take(offsetSize);
      yield { id, isInline, start: from, end: from + take(lengthSize) };
    }
  }
}
