import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Busboy } from '@fastify/busboy';
import type { DeliveredMedia } from './delivery.ts';

/** What the parts of a delivery say. */
export interface DeliveredParts {
  readonly meta: unknown;
  readonly media: readonly DeliveredMedia[];
}

/** Takes a body chunk by chunk. */
export interface PartsReader {
  write(chunk: Buffer): Promise<void>;
  end(): Promise<DeliveredParts>;
}

const isFile = (name: string | undefined, _type: string | undefined, filename: string | undefined): boolean =>
  name !== 'meta' && (filename !== undefined || name?.startsWith('media[') === true);

/** Reads the parts of a multipart body, hashing files as they pass; a body of another type has none. */
export function readParts(contentType: string): PartsReader {
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(contentType)) {
    return { write: async () => {}, end: async () => ({ meta: null, media: [] }) };
  }
  let meta: unknown = null;
  const media: DeliveredMedia[] = [];
  const parser = new Busboy({
    headers: { 'content-type': contentType },
    isPartAFile: isFile,
    preservePath: true,
  });
  parser.on('field', (name, value) => {
    if (name === 'meta') meta = parsedOrNull(value);
  });
  parser.on('file', (_name, stream, filename, _encoding, mimeType) => {
    const hash = createHash('sha256');
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      size += chunk.length;
    });
    // Parts arrive one after another, so pushing at each end keeps their order.
    stream.on('end', () => media.push({ filename, contentType: mimeType, size, sha256: hash.digest('hex') }));
  });
  // What does not parse was received all the same: its record shows the parts that could be read.
  const finished = Promise.race([once(parser, 'finish'), once(parser, 'error')]).catch(() => {});
  let isBroken = false;
  parser.on('error', () => {
    isBroken = true;
  });
  return {
    write: async (chunk) => {
      if (!isBroken && !parser.write(chunk)) await Promise.race([once(parser, 'drain'), finished]);
    },
    end: async () => {
      if (!isBroken) parser.end();
      await finished;
      return { meta, media };
    },
  };
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
