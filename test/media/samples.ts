import { registerMediabunnyServer } from '@mediabunny/server';
import {
  BufferTarget,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from 'mediabunny';
import sharp from 'sharp';

/** Texts a camera or an editor may leave in a file; none of them may leave the service. */
export const TELLING = ['SECRET OWNER', 'SECRET PLACE', 'SECRET SERIAL'] as const;

export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif';

/** Four quarters of different colours, so that a turn or a changed pixel shows. */
function quarters(width: number, height: number): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const quarter = (x < width / 2 ? 0 : 1) + (y < height / 2 ? 0 : 2);
      pixels.set(
        [
          [255, 0, 0],
          [0, 255, 0],
          [0, 0, 255],
          [255, 255, 0],
        ][quarter] ?? [],
        (y * width + x) * 3,
      );
    }
  }
  return pixels;
}

/** An image, with all metadata its format can hold, that is turned for display when asked to. */
export async function image(
  format: ImageFormat,
  { width = 60, height = 40, orientation = 1 } = {},
): Promise<Buffer> {
  const made = sharp(quarters(width, height), { raw: { width, height, channels: 3 } })
    .withExif({
      IFD0: { Copyright: TELLING[0], Artist: TELLING[0] },
      IFD2: { BodySerialNumber: TELLING[2], CameraOwnerName: TELLING[0] },
      IFD3: { GPSLatitude: '51/1 30/1 3230/100' },
    })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${TELLING[1]}</x:xmpmeta>`);
  return (orientation === 1 ? made : made.withMetadata({ orientation })).toFormat(format).toBuffer();
}

const FORMATS = {
  mp4: { format: () => new Mp4OutputFormat(), codec: 'avc' },
  mov: { format: () => new MovOutputFormat(), codec: 'avc' },
  webm: { format: () => new WebMOutputFormat(), codec: 'vp8' },
} as const;

/** A film of a second, turned for display when asked to. */
export async function film(
  container: keyof typeof FORMATS,
  { width = 64, height = 36, rotation = 0 as 0 | 90, tells = true } = {},
): Promise<Buffer> {
  registerMediabunnyServer({ hardwareContext: null });
  const { format, codec } = FORMATS[container];
  const target = new BufferTarget();
  const output = new Output({ format: format(), target });
  if (tells) output.setMetadataTags({ title: TELLING[0], comment: TELLING[1] });
  const source = new VideoSampleSource({ codec, bitrate: 100_000 });
  output.addVideoTrack(source, { frameRate: 10, rotation });
  await output.start();
  for (let frame = 0; frame < 10; frame += 1) {
    const pixels = new Uint8Array(width * height * 4).fill(frame * 20);
    const timing = { timestamp: frame / 10, duration: 0.1 };
    const sample = new VideoSample(pixels, {
      format: 'RGBX',
      codedWidth: width,
      codedHeight: height,
      ...timing,
    });
    await source.add(sample);
    sample.close();
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}
