import { registerMediabunnyServer } from '@mediabunny/server';
import { CustomSource, Input, type InputVideoTrack, MP4, QTFF, VideoSampleSink, WEBM } from 'mediabunny';
import sharp from 'sharp';
import {
  encoded,
  type Picture,
  type RawPicture,
  type Thumbnails,
  thumbnailsOf,
  UnusableFile,
} from './images.ts';
import { THUMBNAIL_SIDES } from './media.ts';

/** What is known of a film: how it is displayed, how long it is, and some of its frames. */
export interface Film {
  readonly width: number;
  readonly height: number;
  readonly durationMs: number;
  readonly thumbnails: Thumbnails;
  /** Frames that can serve as its poster. */
  readonly posters: readonly Picture[];
}

/** A film to be read in parts. */
export interface FilmFile {
  readonly bytes: number;
  read(start: number, end: number): Promise<Buffer>;
}

/** Where in a film the poster candidates are taken; thumbnails are made of the first. */
const POSTERS_AT = [0.1, 0.5, 0.9] as const;

/** YouTube shows posters at this width; larger ones pass its limit of 2 MB. */
const POSTER_SIDE = 1280;

/** 8K is 33 megapixels. */
const MAX_PIXELS = 36_000_000;

const TIME_LIMIT_MS = 60_000;

/** The type of these options in TypeScript's own library does not know `format` yet. */
const AS_RGBA = { format: 'RGBA', layout: undefined };

/** Software decoders alone: no graphics hardware is asked for. */
registerMediabunnyServer({ hardwareContext: null });

/**
 * A film's size as displayed, its duration, thumbnails and poster candidates. A few of its frames are decoded,
 * and of the file only what is needed for them is read.
 *
 * @throws {UnusableFile} when no frame of it can be shown, or that takes too long.
 */
export async function readFilm(file: FilmFile): Promise<Film> {
  const source = new CustomSource({
    getSize: () => file.bytes,
    read: (start, end) => file.read(start, end),
    prefetchProfile: 'network',
    maxCacheSize: 32 * 1024 * 1024,
  });
  const input = new Input({ formats: [MP4, QTFF, WEBM], source });
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new UnusableFile('The video takes too long to read.')),
    TIME_LIMIT_MS,
  );
  try {
    return await Promise.race([read(input), late.promise]);
  } catch (error) {
    if (error instanceof UnusableFile || isStorageError(error)) throw error;
    if (error instanceof Error)
      throw new UnusableFile('The video is damaged and cannot be read.', { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
    input.dispose();
  }
}

/** Errors of storage carry the answer they came with; the file is not to blame for them. */
const isStorageError = (error: unknown): boolean => error instanceof Error && '$metadata' in error;

async function read(input: Input): Promise<Film> {
  const track = await input.getPrimaryVideoTrack();
  if (!track) throw new UnusableFile('The file has no video track.');
  if (track.codedWidth * track.codedHeight > MAX_PIXELS)
    throw new UnusableFile('The video is larger than 8K.');
  const durationSeconds = await input.computeDuration();
  if (!(await track.canDecode())) throw new UnusableFile('The video is in a format that cannot be shown.');
  const sink = new VideoSampleSink(track);
  const first = await track.getFirstTimestamp();
  const frames: RawPicture[] = [];
  for (const share of POSTERS_AT) {
    const frame = await frameAt(sink, first + (durationSeconds - first) * share, track);
    if (frame) frames.push(frame);
  }
  const [frame] = frames;
  if (!frame) throw new UnusableFile('No frame of the video can be decoded.');
  const posters: Picture[] = [];
  for (const each of frames) posters.push(await encoded(await scaled(each, POSTER_SIDE)));
  return {
    width: track.displayWidth,
    height: track.displayHeight,
    durationMs: Math.round(durationSeconds * 1000),
    thumbnails: await thumbnailsOf(frame),
    posters,
  };
}

/** A frame as displayed: turned, with square pixels, and no larger than the largest thumbnail. */
async function frameAt(
  sink: VideoSampleSink,
  seconds: number,
  track: InputVideoTrack,
): Promise<RawPicture | undefined> {
  const sample = await sink.getSample(seconds);
  if (!sample) return undefined;
  try {
    const data = Buffer.alloc(sample.allocationSize(AS_RGBA));
    await sample.copyTo(data, AS_RGBA);
    const raw = { width: sample.codedWidth, height: sample.codedHeight, channels: 4 as const };
    const turned = await sharp(data, { raw })
      .removeAlpha()
      .rotate(sample.rotation)
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height } = fitted(track.displayWidth, track.displayHeight, THUMBNAIL_SIDES.display);
    return await sharp(turned.data, { raw: turned.info })
      .resize(width, height, { fit: 'fill' })
      .raw()
      .toBuffer({ resolveWithObject: true });
  } finally {
    sample.close();
  }
}

function scaled({ data, info }: RawPicture, side: number): Promise<RawPicture> {
  return sharp(data, { raw: info })
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
}

/** A size that keeps its shape within a square, never enlarged. */
function fitted(width: number, height: number, side: number): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
