import { damaged, refusePolyglot } from './damaged.ts';
import { orientationIn, tiffWithOrientation } from './orientation.ts';

/** The chunks a picture is drawn with. */
const DRAWN = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
const HEADER_BYTES = 12;
const EXIF_FLAG = 0x08;
const XMP_FLAG = 0x04;

/**
 * A WebP's picture without XMP, EXIF but for the orientation, and what follows its end.
 *
 * @throws {RequestError} invalid_request for a damaged file, or one that is a page or an archive too.
 */
export function bareWebp(file: Buffer): Buffer {
  const fileEnd = 8 + file.readUInt32LE(4);
  if (fileEnd > file.length) throw damaged('it ends within the image');
  const kept: Buffer[] = [];
  const metadata: Buffer[] = [];
  let orientation = 1;
  for (let at = HEADER_BYTES; at + 8 <= fileEnd; ) {
    const type = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (at + 8 + length > fileEnd) throw damaged('a chunk runs past its end');
    const content = file.subarray(at + 8, at + 8 + length);
    if (DRAWN.has(type)) kept.push(file.subarray(at, end));
    else metadata.push(content);
    if (type === 'EXIF') orientation = orientationIn(withoutPrefix(content));
    at = end;
  }
  refusePolyglot({ metadata, trailing: file.subarray(fileEnd) });
  const exif = orientation === 1 ? [] : [chunk('EXIF', tiffWithOrientation(orientation))];
  const body = Buffer.concat([...kept.map((each) => flagged(each, exif.length > 0)), ...exif]);
  const header = Buffer.from(file.subarray(0, HEADER_BYTES));
  header.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([header, body]);
}

/** Some writers put JPEG's prefix before the TIFF block. */
const withoutPrefix = (exif: Buffer): Buffer =>
  exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;

/** The extended header says which metadata there is. */
function flagged(each: Buffer, hasExif: boolean): Buffer {
  if (each.toString('latin1', 0, 4) !== 'VP8X') return each;
  const header = Buffer.from(each);
  const flags = (header[8] ?? 0) & ~(EXIF_FLAG | XMP_FLAG);
  header[8] = hasExif ? flags | EXIF_FLAG : flags;
  return header;
}

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}
