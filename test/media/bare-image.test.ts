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
