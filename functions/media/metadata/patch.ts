/** Bytes to write over a file's own: what stands at the beginning, and zeros up to the end. */
export interface Patch {
  readonly offset: number;
  readonly end: number;
  readonly head: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Zeros over a part of a file. */
export const zeros = (offset: number, end: number): Patch => ({ offset, end, head: NOTHING });

/** Patches in their order, joined where they meet; undefined where one with a head lies within another. */
export function inOrder(patches: readonly Patch[]): Patch[] | undefined {
  const ordered: Patch[] = [];
  for (const patch of patches.toSorted((one, other) => one.offset - other.offset)) {
    const last = ordered.at(-1);
    if (last === undefined || patch.offset > last.end) ordered.push(patch);
    else if (patch.head.length > 0 && patch.offset < last.end) return undefined;
    else if (patch.head.length > 0) ordered.push(patch);
    else ordered[ordered.length - 1] = { ...last, end: Math.max(last.end, patch.end) };
  }
  return ordered;
}

/** A file's bytes as they come, with patches written over them. */
export async function* patched(
  file: AsyncIterable<Uint8Array>,
  patches: readonly Patch[],
): AsyncGenerator<Uint8Array> {
  let at = 0;
  let first = 0;
  for await (const chunk of file) {
    const chunkEnd = at + chunk.length;
    let written: Uint8Array = chunk;
    for (let index = first; index < patches.length; index += 1) {
      const patch = patches[index];
      if (patch === undefined || patch.offset >= chunkEnd) break;
      if (patch.end <= at) {
        first = index + 1;
        continue;
      }
      if (written === chunk) written = Buffer.from(chunk);
      write(written, at, patch);
    }
    yield written;
    at = chunkEnd;
  }
}

function write(chunk: Uint8Array, at: number, { offset, end, head }: Patch): void {
  const from = Math.max(offset, at);
  const to = Math.min(end, at + chunk.length);
  chunk.fill(0, from - at, to - at);
  chunk.set(head.subarray(from - offset, Math.max(0, to - offset)), from - at);
}
