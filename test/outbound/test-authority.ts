import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate authority for one test, made on the spot; just enough X.509 (RFC 5280) for TLS servers. */
export interface TestAuthority {
  readonly certificate: string;
  issue(leaf: { name: string; notAfter?: Date }): { key: string; cert: string };
}

const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';
const COMMON_NAME = '0603550403';
const BASIC_CONSTRAINTS = '0603551d13';
const ALTERNATIVE_NAME = '0603551d11';
const DAY_MS = 86_400_000;

/** Makes an authority whose certificates nobody else trusts. */
export function testAuthority(): TestAuthority {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isAuthority = extension(BASIC_CONSTRAINTS, sequence(Buffer.from('0101ff', 'hex')));
  const certificate = signed({
    subject: 'Test authority',
    keys: authority,
    extra: isAuthority,
    signer: authority.privateKey,
  });
  return {
    certificate,
    issue({ name, notAfter }) {
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const alternative =
        isIP(name) === 4
          ? tagged(0x87, Buffer.from(name.split('.').map(Number)))
          : tagged(0x82, Buffer.from(name));
      const extra = extension(ALTERNATIVE_NAME, sequence(alternative));
      const cert = signed({
        subject: name,
        keys,
        extra,
        signer: authority.privateKey,
        ...(notAfter && { notAfter }),
      });
      return { cert, key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

interface Certificate {
  readonly subject: string;
  readonly keys: { publicKey: KeyObject };
  readonly extra: Buffer;
  readonly signer: KeyObject;
  readonly notAfter?: Date;
}

function signed({
  subject,
  keys,
  extra,
  signer,
  notAfter = new Date(Date.now() + DAY_MS),
}: Certificate): string {
  const algorithm = sequence(Buffer.from(ECDSA_WITH_SHA256, 'hex'));
  const body = sequence(
    tagged(0xa0, Buffer.from('020102', 'hex')),
    tagged(0x02, Buffer.from([1 + Math.floor(Math.random() * 100), ...Buffer.from(subject.slice(0, 8))])),
    algorithm,
    distinguishedName('Test authority'),
    sequence(time(new Date(notAfter.getTime() - 30 * DAY_MS)), time(notAfter)),
    distinguishedName(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extra)),
  );
  const signature = createSign('sha256').update(body).sign(signer);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.from([0]), signature));
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(Buffer.from(COMMON_NAME, 'hex'), tagged(0x0c, Buffer.from(name)))));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(Buffer.from(id, 'hex'), tagged(0x04, value));
}

function time(at: Date): Buffer {
  return tagged(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.byteLength;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
