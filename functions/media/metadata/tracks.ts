import { type Box, boxesIn } from './box.ts';
import { damaged } from './damaged.ts';
import { type Patch, zeros } from './patch.ts';

/**
 * The kinds of tracks that are seen or heard, count frames, or caption. All others run along with a film to say
 * something of it: where the camera was from second to second, as some write it into texts.
 */
const SHOWN = new Set(['vide', 'auxv', 'pict', 'soun', 'tmcd', 'clcp', 'subt']);

/** Hours of a track with a piece of its own for each sixtieth of a second have fewer. */
const MAX_PIECES = 1_000_000;

/** Whether a track is for those who watch; one that does not say what it is, is of no use to others either. */
export function isShown(index: Buffer, track: Box): boolean {
  const handler = inside(index, track, ['mdia', 'hdlr']);
  return handler === undefined || SHOWN.has(index.toString('latin1', handler.start + 8, handler.start + 12));
}

/**
 * Zeros over all that a track has among a film's data.
 *
 * @throws {RequestError} invalid_request where its tables contradict themselves.
 */
export function samplesOf(index: Buffer, track: Box): Patch[] {
  const table = inside(index, track, ['mdia', 'minf', 'stbl']);
  if (!table) return [];
  const tables = boxesIn(index, table.start, table.end);
  const named = (...types: string[]) => tables.find(({ type }) => types.includes(type));
  const [sizes, runs, places] = [named('stsz', 'stz2'), named('stsc'), named('stco', 'co64')];
  if (!sizes || !runs || !places) return [];
  const bytesOf = sizesOf(index, sizes);
  const runRows = rowsOf(index, runs, 12);
  const placeRows = rowsOf(index, places, places.type === 'co64' ? 8 : 4);
  if (placeRows.count > MAX_PIECES) throw damaged('a track is in too many pieces');
  const pieces: Patch[] = [];
  let run = 0;
  for (let chunk = 0; chunk < placeRows.count; chunk += 1) {
    while (run + 1 < runRows.count && index.readUInt32BE(runRows.at(run + 1)) <= chunk + 1) run += 1;
    const samples = runRows.count === 0 ? 0 : index.readUInt32BE(runRows.at(run) + 4);
    const at = placeRows.at(chunk);
    const offset = places.type === 'co64' ? Number(index.readBigUInt64BE(at)) : index.readUInt32BE(at);
    pieces.push(zeros(offset, offset + bytesOf(samples)));
  }
  return pieces;
}

function inside(index: Buffer, { start, end }: Box, [type, ...deeper]: readonly string[]): Box | undefined {
  const found = boxesIn(index, start, end).find((box) => box.type === type);
  return found === undefined || deeper.length === 0 ? found : inside(index, found, deeper);
}

/** A table of rows of one length, after its version and its count. */
function rowsOf(index: Buffer, { start, end }: Box, rowBytes: number, countAt = start + 4) {
  const count = countAt + 4 <= end ? index.readUInt32BE(countAt) : 0;
  const first = countAt + 4;
  if (first + count * rowBytes > end) throw damaged('a table of its index runs past its end');
  return { count, at: (row: number) => first + row * rowBytes };
}

/** How many bytes the next so many samples have. */
function sizesOf(index: Buffer, sizes: Box): (samples: number) => number {
  const { start, type } = sizes;
  if (start + 12 > sizes.end) throw damaged('a table of its index has no head');
  const equal = type === 'stsz' ? index.readUInt32BE(start + 4) : 0;
  if (equal > 0) return (samples) => samples * equal;
  // The compact form has fields of 4, 8 or 16 bits.
  const bits = type === 'stsz' ? 32 : index.readUInt8(start + 7);
  if (![4, 8, 16, 32].includes(bits)) throw damaged('a table of its index has no known form');
  const { count } = rowsOf(index, sizes, bits / 8, start + 8);
  const sizeOf = (sample: number): number => {
    if (bits > 4) return index.readUIntBE(start + 12 + (sample * bits) / 8, bits / 8);
    const pair = index.readUInt8(start + 12 + Math.floor(sample / 2));
    return sample % 2 === 0 ? pair >> 4 : pair & 15;
  };
  let next = 0;
  return (samples) => {
    let bytes = 0;
    for (const last = Math.min(count, next + samples); next < last; next += 1) bytes += sizeOf(next);
    return bytes;
  };
}
