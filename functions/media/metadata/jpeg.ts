import { damaged, refusePolyglot } from './damaged.ts';
import { orientationIn, tiffWithOrientation } from './orientation.ts';

const EOI = 0xd9;
const SOS = 0xda;
const COM = 0xfe;
const EXIF = Buffer.from('Exif\0\0', 'latin1');

/** The application segments a picture is drawn with: JFIF, colour profile, Adobe's colour transform. */
const KEPT = [
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
] as const;

const isApplication = (marker: number) => marker >= 0xe0 && marker <= 0xef;

/**
 * A JPEG's picture without what tells of its maker: EXIF but for the orientation, XMP, IPTC, comments, and all
 * that follows the image's end (embedded previews of the uncropped picture among it). Lossless.
 *
 * @throws {RequestError} invalid_request for a damaged file, or one that is a page or an archive too.
 */
export function bareJpeg(file: Buffer): Buffer {
  const kept: Buffer[] = [file.subarray(0, 2)];
  const metadata: Buffer[] = [];
  let orientation = 1;
  let at = 2;
  for (;;) {
    const marker = file[at + 1];
    if (file[at] !== 0xff || marker === undefined) throw damaged('it ends, or breaks off, within the image');
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI) break;
    const from = at;
    const end = at + 2 + lengthAt(file, at + 2);
    const segment = file.subarray(from, end);
    if (isApplication(marker) || marker === COM) {
      const content = segment.subarray(4);
      if (marker === 0xe1 && content.subarray(0, 6).equals(EXIF))
        orientation = orientationIn(content.subarray(6));
      if (
        KEPT.some(([kind, name]) => kind === marker && content.toString('latin1', 0, name.length) === name)
      ) {
        kept.push(segment);
      } else metadata.push(content);
      at = end;
    } else {
      at = marker === SOS ? endOfScan(file, end) : end;
      kept.push(file.subarray(from, at));
    }
  }
  refusePolyglot({ metadata, trailing: file.subarray(at + 2) });
  const turned = orientation === 1 ? [] : [exifSegment(orientation)];
  return Buffer.concat([...kept.slice(0, 1), ...turned, ...kept.slice(1), file.subarray(at, at + 2)]);
}

function lengthAt(file: Buffer, at: number): number {
  const length = at + 2 <= file.length ? file.readUInt16BE(at) : 0;
  if (length < 2 || at + length > file.length) throw damaged('a segment runs past its end');
  return length;
}

/** Compressed data ends at the next marker; stuffed zeros and restart marks are part of it. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const marker = file[at + 1] ?? 0;
    const isData = marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7);
    if (!isData) return at;
  }
  throw damaged('it ends within the image');
}

function exifSegment(orientation: number): Buffer {
  const tiff = tiffWithOrientation(orientation);
  const head = Buffer.from([0xff, 0xe1, 0, 2 + EXIF.length + tiff.length]);
  return Buffer.concat([head, EXIF, tiff]);
}
