import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Something bytes are fed to and a digest comes out of. */
export interface Digest {
  update(bytes: Buffer): void;
  digest(encoding: 'hex' | 'base64'): string;
}

/** The checksums S3 takes that Node can compute. */
export const CHECKSUMS: Readonly<Record<string, () => Digest>> = {
  'x-amz-checksum-crc32': crc32Digest,
  'x-amz-checksum-sha1': () => createHash('sha1'),
  'x-amz-checksum-sha256': () => createHash('sha256'),
};

function crc32Digest(): Digest {
  let value = 0;
  return {
    update: (bytes) => {
      value = crc32(bytes, value);
    },
    digest: (encoding) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes.toString(encoding);
    },
  };
}
