import { bareAvif } from './avif.ts';
import { damaged } from './damaged.ts';
import { bareGif } from './gif.ts';
import { bareJpeg } from './jpeg.ts';
import { barePng } from './png.ts';
import { bareWebp } from './webp.ts';

/** How each image type is freed of its metadata. */
const BARE: Readonly<Record<string, (file: Buffer) => Buffer>> = {
  'image/jpeg': bareJpeg,
  'image/png': barePng,
  'image/gif': bareGif,
  'image/webp': bareWebp,
  'image/avif': bareAvif,
};

/**
 * An image without what tells of where, when, with what and by whom it was taken. The picture itself is the
 * same, bit for bit, and is turned the same way.
 *
 * @throws {RequestError} invalid_request for a file that does not keep to its format, or is something else too.
 */
export function bareImage(mime: string, file: Buffer): Buffer {
  const bare = BARE[mime];
  if (!bare) throw new Error(`no way to take metadata out of ${mime}`);
  try {
    return bare(file);
  } catch (error) {
    // A length of the file's own leads out of it.
    if (error instanceof RangeError) throw damaged('it ends within the image');
    throw error;
  }
}
