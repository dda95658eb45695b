import { byteSource } from './byte-source.ts';
import { damaged } from './damaged.ts';

/** The elements whose content is looked into; of the others only the length matters. */
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const ENTERED = new Set([SEGMENT, 0x1549a966]);

/**
 * What says something of a film: tags, attachments, its title and the names of files. Sums over what is written
 * over here would not be right any more, and free space may hold what an editor left in it.
 */
const DESCRIBING = new Set([0x1254c367, 0x1941a469, 0x7ba9, 0x7384, 0x3c83ab, 0x3e83bb, 0xbf, 0xec]);

/** Enough for the head of any element. */
const HEAD_BYTES = 12;

/** A film of hours has under a million blocks. */
const MAX_ELEMENTS = 4_000_000;

const ZEROS = Buffer.alloc(64 * 1024);

/**
 * A WebM as it comes with each describing element turned into free space of the same length, so that not a byte
 * of the film itself moves.
 *
 * @throws {RequestError} invalid_request for a damaged file, while it is read.
 */
export async function* bareWebm(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = byteSource(file);
  try {
    for (let count = 0; ; count += 1) {
      if (count > MAX_ELEMENTS) throw damaged('it has too many parts');
      const head = await source.peek(HEAD_BYTES);
      if (head.length === 0) return;
      const element = elementAt(head);
      if (element === undefined) {
        // It breaks off within the head of an element, as a recording does that was cut off.
        yield* source.pass(head.length);
        return;
      }
      const { id, headBytes, contentBytes } = element;
      if (contentBytes === undefined && id !== SEGMENT && id !== CLUSTER)
        throw damaged('a part has no length');
      if (contentBytes === undefined || ENTERED.has(id)) yield* source.pass(headBytes);
      else if (DESCRIBING.has(id)) yield* freeSpace(await source.skip(headBytes + contentBytes));
      else yield* source.pass(headBytes + contentBytes);
    }
  } finally {
    await source.end();
  }
}

interface Element {
  readonly id: number;
  readonly headBytes: number;
  /** Undefined where it is not told, as live recorders write it: its content goes on until something else begins. */
  readonly contentBytes: number | undefined;
}

/** Reads the head of an element (RFC 8794); undefined where it is not whole. */
function elementAt(head: Buffer): Element | undefined {
  const idBytes = Math.clz32(head.readUInt8(0)) - 23;
  if (idBytes > 4) throw damaged('a part has no head');
  if (head.length <= idBytes) return undefined;
  const first = head.readUInt8(idBytes);
  const lengthBytes = Math.clz32(first) - 23;
  if (lengthBytes > 8) throw damaged('a part has no length');
  if (head.length < idBytes + lengthBytes) return undefined;
  let length = first & (0xff >> lengthBytes);
  for (let at = 1; at < lengthBytes; at += 1) length = length * 256 + head.readUInt8(idBytes + at);
  const isUntold = length === 2 ** (7 * lengthBytes) - 1;
  return {
    id: head.readUIntBE(0, idBytes),
    headBytes: idBytes + lengthBytes,
    contentBytes: isUntold ? undefined : length,
  };
}

/** An element of free space of so many bytes in all; of fewer than two there is none, and nothing of it is left. */
function* freeSpace(bytes: number): Generator<Uint8Array> {
  const isLong = bytes > 9;
  const head = Buffer.alloc(isLong ? 9 : 2);
  head.writeUInt8(0xec, 0);
  if (isLong) {
    head.writeBigUInt64BE(BigInt(bytes - 9), 1);
    head.writeUInt8(0x01, 1);
  } else head.writeUInt8(0x80 | (bytes - 2), 1);
  yield head;
  for (let left = bytes - head.length; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left);
}
