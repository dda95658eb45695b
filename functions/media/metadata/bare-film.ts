import { boxAt, HEAD_BYTES } from './box.ts';
import { byteSource } from './byte-source.ts';
import { damaged } from './damaged.ts';
import { filmMetadata, freed, isDescription, type ReadAt } from './film.ts';
import { patched } from './patch.ts';
import { bareWebm } from './webm.ts';

/** Writes a file anew while it passes. */
export type Rewrite = (file: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** No recording is cut in more fragments. */
const MAX_BOXES = 1_000_000;

/**
 * How a film is freed of what tells where, with what and by whom it was taken; undefined where there is nothing
 * of that in it. The film itself is the same, bit for bit, and its length too.
 *
 * @throws {RequestError} invalid_request for a damaged file, also while it is rewritten.
 */
export async function bareFilm(mime: string, read: ReadAt, fileBytes: number): Promise<Rewrite | undefined> {
  // Of any length, and nothing in it says where the rest is: it is looked at while it passes.
  if (mime === 'video/webm') return bareWebm;
  const { patches, knownTo } = await filmMetadata(read, fileBytes);
  const isKnown = knownTo + 8 > fileBytes;
  if (isKnown && patches.length === 0) return undefined;
  return (file) => {
    const known = patched(file, patches);
    return isKnown ? known : freedFrom(knownTo, known, fileBytes);
  };
}

/** A film in many fragments, with the describing boxes between them turned into free space as they pass. */
async function* freedFrom(
  knownTo: number,
  file: AsyncIterable<Uint8Array>,
  fileBytes: number,
): AsyncGenerator<Uint8Array> {
  const source = byteSource(file);
  try {
    yield* source.pass(knownTo);
    let at = knownTo;
    for (let count = 0; at + 8 <= fileBytes; count += 1) {
      const box = boxAt(await source.peek(HEAD_BYTES), at, fileBytes);
      if (box.type === 'moov' || count > MAX_BOXES) throw damaged('it is cut in too many parts');
      if (isDescription(box)) yield* patched(source.pass(box.end - at), [moved(freed(box), -at)]);
      else yield* source.pass(box.end - at);
      at = box.end;
    }
    yield* source.pass(fileBytes - at);
  } finally {
    await source.end();
  }
}

const moved = (patch: ReturnType<typeof freed>, by: number) => ({
  ...patch,
  offset: patch.offset + by,
  end: patch.end + by,
});
