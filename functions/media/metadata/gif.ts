import { damaged, refusePolyglot } from './damaged.ts';
import { partsOf } from './parts.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const END = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;

/** The application extensions that say how often to repeat; the others carry XMP and the like. */
const REPEATS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

/** The size of a colour table by the flags that announce it. */
const tableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/**
 * A GIF's pictures without comments and metadata, and without what follows its end.
 *
 * @throws {RequestError} invalid_request for a damaged file, or one that is a page or an archive too.
 */
export function bareGif(file: Buffer): Buffer {
  const byte = (at: number): number => {
    const value = file[at];
    if (value === undefined) throw damaged('it ends within the image');
    return value;
  };
  /** Data comes in blocks that each say their length, up to an empty one. */
  const afterBlocks = (from: number): number => {
    let at = from;
    while (byte(at) !== 0) at += byte(at) + 1;
    return at + 1;
  };
  let at = 13 + tableBytes(byte(10));
  const parts = partsOf(file);
  parts.keep(0, at);
  while (byte(at) !== END) {
    const from = at;
    if (byte(at) === IMAGE) {
      at = afterBlocks(at + 11 + tableBytes(byte(at + 9)));
      parts.keep(from, at);
    } else if (byte(at) === EXTENSION) {
      const label = byte(at + 1);
      at = afterBlocks(at + 2);
      const name = file.toString('latin1', from + 3, from + 14);
      const isDrawn = label === GRAPHIC_CONTROL || (label === APPLICATION && REPEATS.has(name));
      if (isDrawn) parts.keep(from, at);
      else parts.drop(from, at);
    } else throw damaged('it has a block of no known kind');
  }
  parts.keep(at, at + 1);
  refusePolyglot({ metadata: parts.description(), trailing: file.subarray(at + 1) });
  return parts.picture();
}
