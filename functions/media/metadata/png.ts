import { crc32 } from 'node:zlib';
import { damaged, refusePolyglot } from './damaged.ts';
import { orientationIn, tiffWithOrientation } from './orientation.ts';
import { partsOf } from './parts.ts';

/** The chunks a picture is drawn with, animated or not; all others describe it. */
const DRAWN = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD hIST pHYs sPLT acTL fcTL fdAT cICP mDCV cLLI'.split(
    ' ',
  ),
);
const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const FRAME_BYTES = 12;

/**
 * A PNG's picture without texts, times and EXIF but for the orientation, and without what follows its end.
 *
 * @throws {RequestError} invalid_request for a damaged file, or one that is a page or an archive too.
 */
export function barePng(file: Buffer): Buffer {
  const parts = partsOf(file);
  parts.keep(0, SIGNATURE_BYTES);
  let at = SIGNATURE_BYTES;
  for (let type = ''; type !== 'IEND'; ) {
    if (at + FRAME_BYTES > file.length) throw damaged('it has no end');
    const end = at + FRAME_BYTES + file.readUInt32BE(at);
    if (end > file.length) throw damaged('a chunk runs past its end');
    type = file.toString('latin1', at + 4, at + 8);
    const orientation = type === 'eXIf' ? orientationIn(file.subarray(at + 8, end - 4)) : 1;
    if (DRAWN.has(type)) parts.keep(at, end);
    else parts.drop(at, end);
    if (orientation !== 1) parts.insert(chunk('eXIf', tiffWithOrientation(orientation)));
    at = end;
  }
  refusePolyglot({ metadata: parts.description(), trailing: file.subarray(at) });
  return parts.picture();
}

function chunk(type: string, content: Buffer): Buffer {
  const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), content, Buffer.alloc(4)]);
  framed.writeUInt32BE(content.length, 0);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4);
  return framed;
}
