import { createHash } from 'node:crypto';
import type { MediaObjects, NewObject, Written } from '../../functions/media/media-objects.ts';

interface Stored {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly madeFrom: string | undefined;
}

/** Objects in memory, under the rules of the store they stand for. */
export interface MemoryObjects extends MediaObjects {
  readonly stored: ReadonlyMap<string, Stored>;
  /** What a client's PUT does. */
  put(objectKey: string, bytes: Buffer): void;
}

export function memoryObjects(): MemoryObjects {
  const stored = new Map<string, Stored>();
  const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;
  const write = ({ objectKey, madeFrom }: NewObject, bytes: Buffer): Written => {
    if (stored.has(objectKey)) return { outcome: 'exists' };
    stored.set(objectKey, { bytes, etag: etagOf(bytes), madeFrom });
    return { outcome: 'created', etag: etagOf(bytes) };
  };
  const find = async (objectKey: string) => {
    const object = stored.get(objectKey);
    return object && { bytes: object.bytes.length, etag: object.etag, madeFrom: object.madeFrom };
  };
  return {
    stored,
    put: (objectKey, bytes) => stored.set(objectKey, { bytes, etag: etagOf(bytes), madeFrom: undefined }),
    uploadUrl: async ({ objectKey, mime, bytes }) =>
      `https://storage.test/${objectKey}?type=${mime}&length=${bytes}`,
    find,
    async peek(objectKey, bytes) {
      const facts = await find(objectKey);
      return (
        facts && { ...facts, head: (stored.get(objectKey)?.bytes ?? Buffer.alloc(0)).subarray(0, bytes) }
      );
    },
    async read(objectKey, etag, { start, end }) {
      const object = stored.get(objectKey);
      if (object?.etag !== etag) return undefined;
      return (async function* () {
        yield object.bytes.subarray(start, end);
      })();
    },
    async create(object, body) {
      if (body instanceof Uint8Array) return write(object, Buffer.from(body));
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return write(object, Buffer.concat(chunks));
    },
    async copy(object, { objectKey, etag }) {
      const source = stored.get(objectKey);
      return source?.etag === etag ? write(object, source.bytes) : { outcome: 'gone' };
    },
    async replace({ objectKey, madeFrom }, body) {
      const bytes = Buffer.from(body);
      stored.set(objectKey, { bytes, etag: etagOf(bytes), madeFrom });
      return etagOf(bytes);
    },
    async remove(objectKey) {
      stored.delete(objectKey);
    },
  };
}
