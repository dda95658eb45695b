import { describe, expect, it } from 'vitest';
import { readFilm } from '../../functions/media/films.ts';
import { bareFilm } from '../../functions/media/metadata/bare-film.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import { box, boxesAt, telemetry, withTrack } from './film-boxes.ts';
import { film, TELLING } from './samples.ts';

const MIMES = { mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm' } as const;

/** What is stored of a film; it comes in pieces of an odd length, so that whatever is written over lies across their edges. */
async function bare(file: Buffer, mime: string = MIMES.mp4, pieceBytes = 7): Promise<Buffer> {
  const rewrite = await bareFilm(mime, async (start, end) => file.subarray(start, end), file.length);
  if (!rewrite) return file;
  async function* pieces() {
    for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of rewrite(pieces())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const tells = (file: Buffer) => TELLING.some((text) => file.includes(text));
const shown = (file: Buffer) =>
  readFilm({ bytes: file.length, read: async (from, to) => file.subarray(from, to) });

describe('a film', () => {
  it.each(['mp4', 'mov', 'webm'] as const)(
    'in %s tells nothing of its maker, and is the same film',
    async (container) => {
      const file = await film(container);

      const made = await bare(file, MIMES[container]);

      expect(tells(file)).toBe(true);
      expect(tells(made)).toBe(false);
      expect(made.length).toBe(file.length);
      expect(await shown(made)).toEqual(await shown(file));
      expect((await bare(made, MIMES[container])).equals(made)).toBe(true);
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

  it('loses what cameras hide in boxes of their own and in free space, and keeps space that is free', async () => {
    const file = Buffer.concat([
      ...[box('ftyp', 'isom'), box('free', Buffer.alloc(8)), box('mdat', 'x'), box('free', 'GPS 51.5')],
      ...[box('skip', 'GPS 51.5'), box('thum', 'GPS 51.5'), box('moov', box('gps ', 'GPS 51.5'))],
    ]);

    const made = await bare(file);

    expect(made.includes('GPS')).toBe(false);
    expect(boxesAt(made).map(({ type }) => type)).toEqual('ftyp free mdat free free free moov'.split(' '));
    expect(await bareFilm(MIMES.mp4, async (from, to) => made.subarray(from, to), made.length)).toBe(
      undefined,
    );
  });
});

describe('a track that runs along with a film', () => {
  it.each(['meta', 'camm', 'gpmd', 'text', 'sbtl', 'fdsc'])(
    'of kind %s goes with all its samples, and the film stays as it is',
    async (handler) => {
      const file = await film('mp4', { tells: false });
      const samples = telemetry(40);
      const tracked = withTrack(file, { handler, samples });

      const made = await bare(tracked, MIMES.mp4, 1013);

      expect(tells(tracked)).toBe(true);
      expect(tells(made)).toBe(false);
      expect(made.includes(handler)).toBe(false);
      expect(made.length).toBe(tracked.length);
      expect(await shown(made)).toEqual(await shown(file));
    },
  );

  it.each(['vide', 'soun', 'tmcd', 'clcp'])('of kind %s stays', async (handler) => {
    const file = withTrack(await film('mp4', { tells: false }), { handler, samples: telemetry(3) });

    expect(tells(await bare(file))).toBe(true);
  });

  it.each([
    ['in chunks of several samples', { samplesPerChunk: 7 }],
    ['at places of 64 bits', { isWide: true }],
    ['of equal samples', { isEqual: true }],
    ['in compact sizes', { compactBits: 16 as const }],
  ])('goes when its samples lie %s', async (_, form) => {
    const file = await film('mp4', { tells: false });
    const tracked = withTrack(file, { handler: 'meta', samples: telemetry(40, 'isEqual' in form), ...form });

    const made = await bare(tracked, MIMES.mp4, 4096);

    expect(tells(tracked)).toBe(true);
    expect(tells(made)).toBe(false);
    expect(await shown(made)).toEqual(await shown(file));
  });

  it('goes quickly when it has as many samples as hours of recording bring', async () => {
    const file = await film('mp4', { tells: false });
    const tracked = withTrack(file, { handler: 'meta', samples: telemetry(200_000) });

    const started = performance.now();
    const made = await bare(tracked, MIMES.mp4, 65_536);

    expect(tells(made)).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('in a film cut in fragments is refused, and so is one whose tables lead out of the film', async () => {
    const file = await film('mp4', { tells: false });
    const fragmented = withTrack(file, { handler: 'meta', samples: [], more: [box('mvex')] });
    const stray = withTrack(file, { handler: 'meta', samples: telemetry(3), shift: 1_000_000 });

    await expect(bare(fragmented)).rejects.toThrow(/cut in fragments/);
    await expect(bare(stray)).rejects.toThrow(/runs past its end/);
  });
});

describe('a film of many parts', () => {
  const fragments = (count: number) =>
    Array.from({ length: count }, (_, index) => [
      box('moof', `fragment ${index}`),
      box('mdat', 'udta'),
    ]).flat();
  const start = [box('ftyp', 'isom'), box('moov', box('mvhd', 'x'), box('mvex'))];

  it('is freed of descriptions behind all of them, which it keeps', async () => {
    const file = Buffer.concat([...start, ...fragments(200), box('uuid', TELLING[0]), box('mfra', 'end')]);

    const made = await bare(file, MIMES.mp4, 11);

    expect(tells(made)).toBe(false);
    expect(made.length).toBe(file.length);
    expect(made.subarray(0, -50).equals(file.subarray(0, -50))).toBe(true);
    expect(boxesAt(made).at(-1)?.type).toBe('mfra');
  });

  it('is refused when its index hides behind them', async () => {
    const file = Buffer.concat([...start, ...fragments(40), box('moov', box('udta', TELLING[0]))]);

    await expect(bare(file)).rejects.toThrow(/too many parts/);
  });
});

describe('a WebM', () => {
  /** An element with a length of eight bytes, as recorders write it that fill it in later. */
  const element = (id: number[], content: Buffer | string) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(Buffer.from(content).length) | (1n << 56n));
    return Buffer.concat([Buffer.from(id), length, Buffer.from(content)]);
  };
  const UNTOLD = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  const ebml = element([0x1a, 0x45, 0xdf, 0xa3], Buffer.from([0x42, 0x82, 0x84, 0x77, 0x65, 0x62, 0x6d]));
  const block = element([0xa3], 'a block that says Tags \x12\x54\xc3\x67');
  const attachment = element([0x19, 0x41, 0xa4, 0x69], `cover by ${TELLING[0]}`);
  const title = Buffer.concat([Buffer.from([0x7b, 0xa9, 0x86]), Buffer.from('SECRET')]);
  const info = element([0x15, 0x49, 0xa9, 0x66], Buffer.concat([title, element([0x44, 0x89], 'long')]));

  it('recorded live, whose parts do not tell their lengths, loses its tags, title and attachments too', async () => {
    const file = Buffer.concat([
      ...[ebml, Buffer.from([0x18, 0x53, 0x80, 0x67]), UNTOLD, info],
      ...[Buffer.from([0x1f, 0x43, 0xb6, 0x75]), UNTOLD, block, block, attachment],
      ...[Buffer.from([0x1f, 0x43, 0xb6, 0x75]), UNTOLD, block],
      element([0x12, 0x54, 0xc3, 0x67], TELLING[1]),
    ]);

    for (const pieceBytes of [1, 7, 10_000]) {
      const made = await bare(file, MIMES.webm, pieceBytes);

      expect(made.length).toBe(file.length);
      expect(made.includes('SECRET')).toBe(false);
      expect(made.toString('latin1').split('a block that says Tags')).toHaveLength(4);
      expect((await bare(made, MIMES.webm)).equals(made)).toBe(true);
    }
  });

  it('that was cut off anywhere is stored as far as it goes, and one that is none is refused', async () => {
    const file = await film('webm');

    for (let cut = 50; cut < file.length; cut += 13) {
      const made = await bare(file.subarray(0, cut), MIMES.webm);
      expect(made.length, `cut at ${cut}`).toBe(cut);
      expect(tells(made)).toBe(false);
    }
    await expect(bare(Buffer.concat([file, Buffer.alloc(20)]), MIMES.webm)).rejects.toThrow(/damaged/);
  });
});

describe('a damaged film', () => {
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

  it.each(['mp4', 'webm'] as const)(
    'in %s never breaks us, wherever a byte of it is altered',
    async (container) => {
      const whole = await film(container);
      const file = container === 'mp4' ? withTrack(whole, { handler: 'meta', samples: telemetry(5) }) : whole;

      for (let at = 0; at < file.length; at += 1) {
        const altered = Buffer.from(file);
        altered[at] = (altered[at] ?? 0) ^ 0xff;
        try {
          expect((await bare(altered, MIMES[container], 4096)).length).toBe(file.length);
        } catch (error) {
          expect(error).toBeInstanceOf(RequestError);
        }
      }
    },
  );
});
