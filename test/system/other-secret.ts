import { newApiKey, parseApiKey } from '../../functions/access/api-key.ts';

/** The key with another secret and a checksum that fits it. */
export function withOtherSecret(key: string): string {
  const other = newApiKey();
  const lookup = parseApiKey(key)?.lookup ?? '';
  for (let last = 0; ; last += 1) {
    const secret = `${other.secret.slice(0, -3)}${String(last).padStart(3, '0')}`;
    const found = checksummed(`spp_live_${lookup}_${secret}`);
    if (parseApiKey(found)) return found;
  }
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
function checksummed(body: string): string {
  let sum = '';
  // CRC-32 in base 62, as secret scanners compute it.
  for (let rest = BigInt(crc32(body)); sum.length < 6; rest /= 62n) sum = ALPHABET[Number(rest % 62n)] + sum;
  return body + sum;
}

function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}
