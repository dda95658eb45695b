import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { imageThumbnails, UnusableFile } from '../../functions/media/images.ts';
import { type ImageFormat, image, TELLING } from './samples.ts';

describe('thumbnails', () => {
  it.each<ImageFormat>(['jpeg', 'png', 'gif', 'webp', 'avif'])('of a %s keep its shape', async (format) => {
    const { width, height, thumbnails } = await imageThumbnails(
      await image(format, { width: 900, height: 600 }),
    );

    expect({ width, height }).toEqual({ width: 900, height: 600 });
    for (const [name, side] of Object.entries({ thumb: 160, preview: 640, display: 900 })) {
      const picture = thumbnails[name as keyof typeof thumbnails];
      const seen = await sharp(picture.bytes).metadata();
      expect(seen).toMatchObject({ format: 'jpeg', width: side, height: Math.round((side * 2) / 3) });
      expect({ width: picture.width, height: picture.height }).toEqual({
        width: seen.width,
        height: seen.height,
      });
    }
  });

  it('are turned as the image is displayed, and tell nothing of its maker', async () => {
    const { width, height, thumbnails } = await imageThumbnails(await image('jpeg', { orientation: 6 }));

    expect({ width, height }).toEqual({ width: 40, height: 60 });
    const { display } = thumbnails;
    expect(await sharp(display.bytes).metadata()).toMatchObject({ width: 40, height: 60 });
    expect((await sharp(display.bytes).metadata()).exif).toBeUndefined();
    expect(TELLING.some((text) => display.bytes.includes(text))).toBe(false);
    // What is stored on the lower left is displayed on the upper left.
    const [red = 0, , blue = 0] = await sharp(display.bytes)
      .extract({ left: 5, top: 5, width: 1, height: 1 })
      .raw()
      .toBuffer();
    expect(blue).toBeGreaterThan(red);
  });

  it('of a large image are at most 1600 pixels long, and transparent if it is', async () => {
    const file = await sharp({ create: { width: 400, height: 3200, channels: 4, background: '#ff000080' } })
      .png()
      .toBuffer();

    const { thumbnails } = await imageThumbnails(file);

    expect(thumbnails.preview.mime).toBe('image/webp');
    expect(thumbnails.display).toMatchObject({ mime: 'image/jpeg', width: 200, height: 1600 });
    expect((await sharp(thumbnails.thumb.bytes).metadata()).hasAlpha).toBe(true);
  });
});

const chunk = (type: string, content: Buffer) => {
  const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type), content, Buffer.alloc(4)]);
  framed.writeUInt32BE(content.length);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4);
  return framed;
};

function png(width: number, height: number, ...chunks: Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

/** A GIF of one pixel, over and over. */
function gif(frames: number): Buffer {
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  const head = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff', 'latin1');
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
}

describe('bombs', () => {
  const zeros = deflateSync(Buffer.alloc(30_001 * 1_000));
  const deep = chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(50_000_000))]));

  const profile = chunk(
    'iCCP',
    Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(200_000_000))]),
  );

  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ['900 megapixels in 40 KB', () => png(30_000, 30_000, chunk('IDAT', zeros))],
    [
      'a picture that breaks off',
      async () => (await image('jpeg', { width: 800, height: 600 })).subarray(0, 3000),
    ],
    ['a picture with no data', () => png(100, 100)],
    [
      'a page',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    ],
  ])('end as unusable: %s', async (_, file) => {
    await expect(imageThumbnails(await file())).rejects.toThrow(UnusableFile);
  });

  it('of many frames or long texts cost no more than their first picture', async () => {
    const [started, before] = [performance.now(), process.memoryUsage().rss];

    const pixel = chunk('IDAT', deflateSync(Buffer.alloc(2)));
    await imageThumbnails(gif(1_000_000));
    await imageThumbnails(png(1, 1, deep, pixel));
    await imageThumbnails(png(1, 1, profile, pixel)).catch((error) =>
      expect(error).toBeInstanceOf(UnusableFile),
    );

    expect(performance.now() - started).toBeLessThan(10_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(512 * 1024 * 1024);
  }, 20_000);
});
