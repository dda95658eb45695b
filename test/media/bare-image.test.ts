import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { bareImage } from '../../functions/media/metadata/bare-image.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import { type ImageFormat, image, TELLING } from './samples.ts';

const FORMATS: readonly ImageFormat[] = ['jpeg', 'png', 'gif', 'webp', 'avif'];

const tells = (file: Buffer) => TELLING.some((text) => file.includes(text)) || file.includes('GPS');
const pixels = (file: Buffer) => sharp(file).autoOrient().raw().toBuffer();
const bare = (format: ImageFormat, file: Buffer) => bareImage(`image/${format}`, file);
/** Inserts after a file's first bytes. */
const inserted = (file: Buffer, at: number, ...parts: (Buffer | string)[]) =>
  Buffer.concat([file.subarray(0, at), ...parts.map((part) => Buffer.from(part)), file.subarray(at)]);

const TELLING_BYTES = Buffer.from(TELLING.join());
/** A segment of a JPEG. */
const segment = (marker: number, content: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};
/** A chunk of a PNG with nothing in it. */
const chunk = (type: string) => {
  const framed = Buffer.alloc(12);
  framed.write(type, 4);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8)), 8);
  return framed;
};

describe('a bare image', () => {
  it.each(FORMATS)('of type %s is the same picture and tells nothing else', async (format) => {
    const file = await image(format);

    const made = bare(format, file);

    if (format !== 'gif') expect(tells(file)).toBe(true);
    expect(tells(made)).toBe(false);
    expect((await pixels(made)).equals(await pixels(file))).toBe(true);
    expect(bare(format, made).equals(made)).toBe(true);
  });

  it.each(['jpeg', 'png', 'webp'] as const)('of type %s is turned as it was', async (format) => {
    const file = await image(format, { orientation: 6 });

    const made = bare(format, file);

    expect(await sharp(made).metadata()).toMatchObject({
      orientation: 6,
      autoOrient: { width: 40, height: 60 },
    });
    expect(tells(made)).toBe(false);
  });

  it('loses a comment, a preview after its end, and a GIF its foreign extensions', async () => {
    const jpeg = await image('jpeg');
    const comment = Buffer.from([0xff, 0xfe, 0, 2 + TELLING[0].length]);
    const gif = await image('gif');
    const gifComment = [Buffer.from([0x21, 0xfe, TELLING[0].length]), TELLING[0], Buffer.from([0])];
    const tableEnd = 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1);

    const commented = Buffer.concat([inserted(jpeg, 2, comment, TELLING[0]), jpeg]);
    expect(bare('jpeg', commented).equals(bare('jpeg', jpeg))).toBe(true);
    expect(bare('gif', inserted(gif, tableEnd, ...gifComment)).equals(bare('gif', gif))).toBe(true);
  });

  it.each([
    [
      'a page in a comment',
      (file: Buffer) => inserted(file, 2, Buffer.from([0xff, 0xfe, 0, 10]), '<script>'),
    ],
    ['a page after its end', (file: Buffer) => Buffer.concat([file, Buffer.from('<!DOCTYPE html><p>')])],
    ['a ZIP after its end', (file: Buffer) => Buffer.concat([file, Buffer.from('PK\x03\x04 and so on')])],
    ['an SVG after its end', (file: Buffer) => Buffer.concat([file, Buffer.from('<svg onload="x()">')])],
  ])('is refused with %s', async (_, spoiled) => {
    const file = spoiled(await image('jpeg'));

    expect(() => bare('jpeg', file)).toThrow(/at the same time/);
  });

  it('loses the preview in its JFIF header, which shows what was cut off, and what follows an Adobe one', async () => {
    const jpeg = await image('jpeg');
    const preview = Buffer.concat([
      Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\x04\x02', 'latin1'),
      TELLING_BYTES,
    ]);
    const adobe = Buffer.concat([Buffer.from('Adobe\0\x64\0\0\0\0\x01', 'latin1'), TELLING_BYTES]);
    const made = bare('jpeg', inserted(jpeg, 2, segment(0xe0, preview), segment(0xee, adobe)));

    expect(tells(made)).toBe(false);
    expect(made.includes(Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff', 'latin1'))).toBe(true);
    expect((await pixels(made)).equals(await pixels(jpeg))).toBe(true);
  });

  it('that comes with a file of parts enough to fill memory is refused or bared at once', async () => {
    const png = await image('png');
    const idle = Buffer.concat([chunk('IDAT'), chunk('tEXt')]);
    const filled = inserted(png, 33, Buffer.alloc(600_000 * idle.length, idle));
    const gif = await image('gif');
    const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
    const long = inserted(gif, gif.length - 1, Buffer.alloc(1_000_000 * frame.length, frame));
    const [started, before] = [performance.now(), process.memoryUsage().rss];

    expect(() => bare('png', filled)).toThrow(/too many parts/);
    expect(bare('gif', long).length).toBeGreaterThan(1_000_000 * frame.length);

    expect(performance.now() - started).toBeLessThan(5_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('whose places name its bytes over and over is refused', async () => {
    const avif = await image('avif');
    const [iloc, meta] = [avif.indexOf('iloc') - 4, avif.indexOf('meta') - 4];
    const claims = Buffer.alloc(16 + 60_000 * 6);
    claims.writeUInt32BE(claims.length, 0);
    claims.write('iloc', 4);
    claims.writeUInt16BE(60_000, 14);
    for (let at = 16; at < claims.length; at += 6) claims.writeUInt16BE(0xffff, at + 4);
    const more = claims.length - avif.readUInt32BE(iloc);
    const bomb = Buffer.concat([
      ...[avif.subarray(0, iloc), claims, avif.subarray(iloc + avif.readUInt32BE(iloc))],
    ]);
    bomb.writeUInt32BE(avif.readUInt32BE(meta) + more, meta);
    const started = performance.now();

    expect(() => bare('avif', bomb)).toThrow(/too many parts/);

    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('is refused when its header is a script that a lenient parser runs', () => {
    const gif = Buffer.from('GIF89a/*\x00\x00\x00\x00\x00*/=1;alert(1)//', 'latin1');

    expect(() => bare('gif', gif)).toThrow(/damaged/);
  });

  it.each(FORMATS)(
    'of type %s is refused when it is cut off or altered, and never breaks us',
    async (format) => {
      const file = await image(format);

      for (let cut = 13; cut < file.length; cut += Math.ceil(file.length / 40)) {
        expect(() => bare(format, file.subarray(0, cut)), `cut at ${cut}`).toThrow(RequestError);
      }
      for (let at = 0; at < file.length; at += 1) {
        const altered = Buffer.from(file);
        altered[at] = (altered[at] ?? 0) ^ 0xff;
        try {
          bare(format, altered);
        } catch (error) {
          expect(error).toBeInstanceOf(RequestError);
        }
      }
    },
  );
});
