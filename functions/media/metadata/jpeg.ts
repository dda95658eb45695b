import { damaged, refusePolyglot } from './damaged.ts';
import { orientationIn, tiffWithOrientation } from './orientation.ts';
import { partsOf } from './parts.ts';

const EOI = 0xd9;
const SOS = 0xda;
const COM = 0xfe;
const EXIF = Buffer.from('Exif\0\0', 'latin1');

/**
 * The application segments a picture is drawn with: JFIF, colour profile, Adobe's colour transform; and how much of
 * one is. JFIF may have a preview after its 14 bytes, which shows what was cut off the picture since.
 */
const KEPT = [
  { marker: 0xe0, name: 'JFIF\0', bytes: 14 },
  { marker: 0xe2, name: 'ICC_PROFILE\0', bytes: 0xffff },
  { marker: 0xee, name: 'Adobe', bytes: 12 },
] as const;
const JFIF_PREVIEW_SIZE_AT = 12;

const isApplication = (marker: number) => marker >= 0xe0 && marker <= 0xef;

/**
 * A JPEG's picture without what tells of its maker: EXIF but for the orientation, XMP, IPTC, comments, and all
 * that follows the image's end (embedded previews of the uncropped picture among it). Lossless.
 *
 * @throws {RequestError} invalid_request for a damaged file, or one that is a page or an archive too.
 */
export function bareJpeg(file: Buffer): Buffer {
  const parts = partsOf(file);
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
    if (isApplication(marker) || marker === COM) {
      const content = file.subarray(from + 4, end);
      if (marker === 0xe1 && content.subarray(0, 6).equals(EXIF))
        orientation = orientationIn(content.subarray(6));
      const drawn = drawnOf(marker, content);
      if (drawn) parts.insert(segmentOf(marker, drawn));
      if (drawn?.length !== content.length) parts.drop(from + 4, end);
      at = end;
    } else {
      at = marker === SOS ? endOfScan(file, end) : end;
      parts.keep(from, at);
    }
  }
  parts.keep(at, at + 2);
  refusePolyglot({ metadata: parts.description(), trailing: file.subarray(at + 2) });
  const turned = orientation === 1 ? [] : [exifSegment(orientation)];
  return parts.picture(file.subarray(0, 2), ...turned);
}

/** What of an application segment a picture is drawn with, if anything. */
function drawnOf(marker: number, content: Buffer): Buffer | undefined {
  const kept = KEPT.find(
    (each) => each.marker === marker && content.toString('latin1', 0, each.name.length) === each.name,
  );
  if (!kept) return undefined;
  const drawn = Buffer.from(content.subarray(0, kept.bytes));
  if (marker === 0xe0) drawn.fill(0, JFIF_PREVIEW_SIZE_AT);
  return drawn;
}

function segmentOf(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
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
  return segmentOf(0xe1, Buffer.concat([EXIF, tiffWithOrientation(orientation)]));
}
