/** Bytes as they come, to be looked at before they are passed on or left out. */
export interface ByteSource {
  /** The next so many bytes, fewer at the end; they stay the next ones. */
  peek(bytes: number): Promise<Buffer>;
  /** The next so many bytes, fewer at the end. */
  pass(bytes: number): AsyncGenerator<Uint8Array>;
  /** Leaves out so many bytes, fewer at the end; how many they were. */
  skip(bytes: number): Promise<number>;
  /** Ends what the bytes come from. */
  end(): Promise<unknown>;
}

/** A source of a stream's bytes, which holds one chunk of it. */
export function byteSource(stream: AsyncIterable<Uint8Array>): ByteSource {
  const chunks = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const next = await chunks.next();
    if (next.done) return false;
    const { buffer, byteOffset, byteLength } = next.value;
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    return true;
  };
  async function* pass(bytes: number) {
    for (let left = bytes; left > 0 && (held.length > 0 || (await more())); ) {
      const taken = held.subarray(0, left);
      held = held.subarray(taken.length);
      left -= taken.length;
      yield taken;
    }
  }
  return {
    async peek(bytes) {
      while (held.length < bytes && (await more()));
      return held.subarray(0, bytes);
    },
    pass,
    async skip(bytes) {
      let skipped = 0;
      for await (const chunk of pass(bytes)) skipped += chunk.length;
      return skipped;
    },
    end: async () => chunks.return?.(),
  };
}
