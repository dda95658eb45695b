import { damaged, refusePolyglot } from './damaged.ts';
import { orientationIn, tiffWithOrientation } from './orientation.ts';
import { partsOf } from './parts.ts';

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
  const parts = partsOf(file);
  parts.keep(0, HEADER_BYTES);
  let orientation = 1;
  for (let at = HEADER_BYTES; at + 8 <= fileEnd; ) {
    const type = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (at + 8 + length > fileEnd) throw damaged('a chunk runs past its end');
    const content = file.subarray(at + 8, at + 8 + length);
    if (DRAWN.has(type)) parts.keep(at, end);
    else parts.drop(at, end);
    if (type === 'EXIF') orientation = orientationIn(withoutPrefix(content));
    at = end;
  }
  refusePolyglot({ metadata: parts.description(), trailing: file.subarray(fileEnd) });
  if (orientation !== 1) parts.insert(chunk('EXIF', tiffWithOrientation(orientation)));
  const picture = parts.picture();
  picture.writeUInt32LE(picture.length - 8, 4);
  return flagged(picture, orientation !== 1);
}

/** Some writers put JPEG's prefix before the TIFF block. */
const withoutPrefix = (exif: Buffer): Buffer =>
  exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;

/** The extended header, the first chunk where there is one, says which metadata there is. */
function flagged(picture: Buffer, hasExif: boolean): Buffer {
  if (picture.toString('latin1', HEADER_BYTES, HEADER_BYTES + 4) !== 'VP8X') return picture;
  const at = HEADER_BYTES + 8;
  const flags = (picture[at] ?? 0) & ~(EXIF_FLAG | XMP_FLAG);
  picture[at] = hasExif ? flags | EXIF_FLAG : flags;
  return picture;
}

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}
