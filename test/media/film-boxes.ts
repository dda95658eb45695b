import { TELLING } from './samples.ts';

/** A box of an MP4. */
export function box(type: string, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** The boxes at the top of a film. */
export function boxesAt(
  file: Buffer,
): { readonly type: string; readonly from: number; readonly to: number }[] {
  const boxes = [];
  for (let at = 0; at < file.length; ) {
    const to = at + file.readUInt32BE(at);
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), from: at, to });
    at = to;
  }
  return boxes;
}

/** What a camera writes down from second to second, in samples of several lengths or of one. */
export const telemetry = (count: number, isEqual = false): Buffer[] =>
  Array.from({ length: count }, (_, index) => {
    const place = (51.5 + index / 1000).toFixed(isEqual ? 4 : 4 + (index % 3));
    return Buffer.from(`${TELLING[1]} ${place}`);
  });

const numbers = (...parts: (number | number[])[]): Buffer => {
  const values = parts.flat();
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
};

interface Track {
  readonly handler: string;
  readonly samples: readonly Buffer[];
  readonly samplesPerChunk?: number;
  readonly isWide?: boolean;
  readonly isEqual?: boolean;
  readonly compactBits?: 16;
  /** By how much its places are wrong. */
  readonly shift?: number;
  /** What else its index gets. */
  readonly more?: readonly Buffer[];
}

/**
 * A film with a track more: its samples follow the film's data, with bytes that nothing names between its chunks,
 * and a new index stands at the end, where cameras write it.
 */
export function withTrack(
  file: Buffer,
  { handler, samples, samplesPerChunk = 1, isWide, isEqual, compactBits, shift = 0, more = [] }: Track,
): Buffer {
  const moov = boxesAt(file).find(({ type }) => type === 'moov') ?? { from: 0, to: 0 };
  const before = Buffer.concat([
    file.subarray(0, moov.from),
    box('free', Buffer.alloc(moov.to - moov.from - 8)),
    file.subarray(moov.to),
  ]);
  const data: Buffer[] = [];
  const places: number[] = [];
  let at = before.length + 8;
  for (let first = 0; first < samples.length; first += samplesPerChunk) {
    const chunk = Buffer.concat([...samples.slice(first, first + samplesPerChunk), Buffer.from('|')]);
    data.push(chunk);
    places.push(at + shift);
    at += chunk.length;
  }
  const sizes = samples.map(({ length }) => length);
  const compact = Buffer.alloc(sizes.length * 2);
  for (const [index, size] of sizes.entries()) compact.writeUInt16BE(size, index * 2);
  const lastRun = samples.length % samplesPerChunk;
  const runs = [1, samplesPerChunk, 1, ...(lastRun > 0 ? [places.length, lastRun, 1] : [])];
  const table = box(
    'stbl',
    box('stsd', numbers(0, 1), box(`${handler}`, Buffer.alloc(8))),
    box('stts', numbers(0, 1, samples.length, 100)),
    box('stsc', numbers(0, runs.length / 3, runs)),
    compactBits
      ? box('stz2', numbers(0, compactBits, sizes.length), compact)
      : box('stsz', numbers(0, isEqual ? (sizes[0] ?? 0) : 0, sizes.length, isEqual ? [] : sizes)),
    isWide
      ? box(
          'co64',
          numbers(
            0,
            places.length,
            places.flatMap((place) => [0, place]),
          ),
        )
      : box('stco', numbers(0, places.length, places)),
  );
  const hdlr = box('hdlr', numbers(0, 0), handler, Buffer.alloc(13));
  const mdhd = box('mdhd', numbers(0, 0, 0, 1000, 1000, 0));
  const trak = box(
    'trak',
    box('tkhd', numbers(7, 0, 0, 99, 0, 1000), Buffer.alloc(60)),
    box('mdia', mdhd, hdlr, box('minf', box('nmhd', numbers(0)), table)),
  );
  const index = box('moov', file.subarray(moov.from + 8, moov.to), trak, ...more);
  return Buffer.concat([before, box('mdat', Buffer.concat(data)), index]);
}
