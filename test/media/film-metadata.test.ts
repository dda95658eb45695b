import { describe, expect, it } from 'vitest';
import { readFilm } from '../../functions/media/films.ts';
import { filmMetadata, patched } from '../../functions/media/metadata/film.ts';
import { film, TELLING } from './samples.ts';

const box = (type: string, ...content: (Buffer | string)[]) => {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};

async function bare(file: Buffer): Promise<Buffer> {
  const patches = await filmMetadata(async (start, end) => file.subarray(start, end), file.length);
  const chunks: Uint8Array[] = [];
  // In odd pieces, so that patches lie across their edges.
  async function* pieces() {
    for (let at = 0; at < file.length; at += 7) yield file.subarray(at, at + 7);
  }
  for await (const chunk of patched(pieces(), patches)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a film', () => {
  it.each(['mp4', 'mov'] as const)(
    'in %s tells nothing of its maker, and is the same film',
    async (container) => {
      const file = await film(container);

      const made = await bare(file);

      expect(TELLING.some((text) => file.includes(text))).toBe(true);
      expect(TELLING.some((text) => made.includes(text))).toBe(false);
      expect(made.length).toBe(file.length);
      const [before, after] = await Promise.all(
        [file, made].map((each) =>
          readFilm({ bytes: each.length, read: async (from, to) => each.subarray(from, to) }),
        ),
      );
      expect(after).toEqual(before);
    },
  );

  it('loses descriptions wherever they stand, and nothing else', async () => {
    const place = box('udta', box('©xyz', '+51.5-0.1/'));
    const rest = [box('ftyp', 'isom'), box('mdat', 'udta is no box here')];
    const file = Buffer.concat([
      ...rest,
      box('moov', box('mvhd', 'x'), box('trak', box('tkhd', 'y'), place), place),
      box('uuid', 'XMP of someone'),
    ]);

    const made = await bare(file);

    expect(made.includes('+51.5')).toBe(false);
    expect(made.includes('XMP')).toBe(false);
    expect(made.includes('udta is no box here')).toBe(true);
    expect(made.toString('latin1').match(/free/g)).toHaveLength(3);
  });

  it.each([
    [
      'a box that runs past the end',
      Buffer.concat([box('ftyp', 'isom'), Buffer.from([0, 1, 0, 0]), Buffer.from('moov')]),
    ],
    [
      'a box shorter than its head',
      Buffer.concat([box('ftyp', 'isom'), Buffer.from([0, 0, 0, 4]), Buffer.from('moov')]),
    ],
  ])('is refused with %s', async (_, file) => {
    await expect(bare(file)).rejects.toThrow(/damaged/);
  });
});
