import sharp, { type Sharp } from 'sharp';
import { THUMBNAIL_SIDES } from './media.ts';

/** A small picture, ready to be stored. */
export interface Picture {
  readonly bytes: Buffer;
  readonly mime: 'image/jpeg' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/** The thumbnails of a file. */
export type Thumbnails = Readonly<Record<keyof typeof THUMBNAIL_SIDES, Picture>>;

/** Why a file cannot be looked into: its fault, and final. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** Larger pictures are refused before a pixel is decoded: 64 megapixels are more than any platform shows. */
const MAX_PIXELS = 64_000_000;

/** What takes longer was made to take long. */
const TIME_LIMIT_SECONDS = 10;

// Only what is taken may be read: no SVG, PDF or other format that refers to something outside itself.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
});
// Nothing is looked at twice, and what is kept would be another workspace's.
sharp.cache(false);

const opened = (file: Buffer): Sharp =>
  sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 }).timeout({
    seconds: TIME_LIMIT_SECONDS,
  });

/**
 * An image's size as displayed, and its thumbnails; of an animation, its first frame. The file is decoded once.
 *
 * @throws {UnusableFile} when it is damaged, too large in pixels, or takes too long.
 */
export async function imageThumbnails(
  file: Buffer,
): Promise<{ width: number; height: number; thumbnails: Thumbnails }> {
  try {
    const { autoOrient } = await opened(file).metadata();
    const side = THUMBNAIL_SIDES.display;
    const display = await opened(file)
      .autoOrient()
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { ...autoOrient, thumbnails: await thumbnailsOf(await withoutIdleAlpha(display)) };
  } catch (error) {
    // The library's errors are of no class of their own, and all are about the file.
    if (error instanceof Error) throw new UnusableFile(reasonOf(error.message), { cause: error });
    throw error;
  }
}

/** Pixels without compression. */
export interface RawPicture {
  readonly data: Buffer;
  readonly info: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

/** The three thumbnails of a picture that is no larger than the largest of them; each is made from the next larger. */
export async function thumbnailsOf(display: RawPicture): Promise<Thumbnails> {
  const preview = await smaller(display, THUMBNAIL_SIDES.preview);
  const thumb = await smaller(preview, THUMBNAIL_SIDES.thumb);
  const [one, two, three] = await Promise.all([encoded(thumb), encoded(preview), published(display)]);
  return { thumb: one, preview: two, display: three };
}

/** The largest one is also the form in which platforms that take nothing but JPEG get the image. */
async function published({ data, info }: RawPicture): Promise<Picture> {
  const bytes = await sharp(data, { raw: info })
    .flatten({ background: '#fff' })
    .jpeg({ quality: 85 })
    .toBuffer();
  return { bytes, mime: 'image/jpeg', width: info.width, height: info.height };
}

/** A picture in the format all platforms take, unless it is transparent somewhere. */
export async function encoded({ data, info }: RawPicture): Promise<Picture> {
  const isTransparent = info.channels === 2 || info.channels === 4;
  const image = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const bytes = isTransparent
    ? await image.webp({ quality: 80, effort: 2 }).toBuffer()
    : await image.jpeg({ quality: 80 }).toBuffer();
  return {
    bytes,
    mime: isTransparent ? 'image/webp' : 'image/jpeg',
    width: info.width,
    height: info.height,
  };
}

/** Many files can be transparent and are not, such as most GIFs. */
async function withoutIdleAlpha(picture: RawPicture): Promise<RawPicture> {
  const { data, info } = picture;
  if (info.channels !== 4 && info.channels !== 2) return picture;
  for (let at = info.channels - 1; at < data.length; at += info.channels)
    if (data[at] !== 255) return picture;
  return sharp(data, { raw: info }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
}

function smaller({ data, info }: RawPicture, side: number): Promise<RawPicture> {
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
}

function reasonOf(message: string): string {
  if (/pixel limit/i.test(message)) return 'The image has too many pixels (at most 64 million).';
  if (/timeout/i.test(message)) return 'The image takes too long to decode.';
  return 'The image is damaged and cannot be decoded.';
}
