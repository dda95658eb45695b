import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a signature says about itself: by whom, for which service, over which headers. */
export interface SignatureScope {
  readonly accessKeyId: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `X-Amz-Date`, in the basic ISO 8601 form. */
  readonly timestamp: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Reads the Authorization header; undefined when there is none, or none of this kind. */
export function scopeOfHeader(request: IncomingMessage): SignatureScope | undefined {
  const [, credential, signedHeaders, signature] =
    AUTHORIZATION.exec(request.headers.authorization ?? '') ?? [];
  const timestamp = request.headers['x-amz-date'];
  if (credential === undefined || signedHeaders === undefined || signature === undefined) return undefined;
  return scopeOf(credential, signedHeaders, signature, typeof timestamp === 'string' ? timestamp : '');
}

/** Reads a presigned URL's query; undefined when the URL is not signed. */
export function scopeOfQuery(query: URLSearchParams): SignatureScope | undefined {
  const credential = query.get('X-Amz-Credential');
  const signature = query.get('X-Amz-Signature');
  if (credential === null || signature === null) return undefined;
  return scopeOf(
    credential,
    query.get('X-Amz-SignedHeaders') ?? '',
    signature,
    query.get('X-Amz-Date') ?? '',
  );
}

/** Whether the request was signed with this secret. `payloadHash` is its body's SHA-256, or S3's word for none. */
export function isSignedBy(
  secret: string,
  request: IncomingMessage,
  { scope, payloadHash }: { readonly scope: SignatureScope; readonly payloadHash: string },
): boolean {
  const toSign = [
    'AWS4-HMAC-SHA256',
    scope.timestamp,
    `${scope.date}/${scope.region}/${scope.service}/aws4_request`,
    sha256Hex(canonicalRequest(request, scope, payloadHash)),
  ].join('\n');
  const expected = createHmac('sha256', signingKey(secret, scope)).update(toSign).digest();
  const given = Buffer.from(scope.signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** SHA-256 in hexadecimal, as signatures carry it. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function scopeOf(credential: string, headers: string, signature: string, timestamp: string) {
  const [accessKeyId = '', date = '', region = '', service = ''] = credential.split('/');
  return { accessKeyId, date, region, service, signedHeaders: headers.split(';'), signature, timestamp };
}

function canonicalRequest(request: IncomingMessage, scope: SignatureScope, payloadHash: string): string {
  const [path = '/', query = ''] = splitOnce(request.url ?? '/', '?');
  const headers = scope.signedHeaders.map(
    (name) =>
      `${name}:${String(request.headers[name] ?? '')
        .trim()
        .replace(/ +/g, ' ')}\n`,
  );
  return [
    request.method,
    // S3 signs the path as it was sent; the others encode it once more.
    scope.service === 's3' ? path : path.split('/').map(encode).join('/'),
    canonicalQuery(query),
    headers.join(''),
    scope.signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((part) => splitOnce(part, '='))
    .map(([name = '', value = '']) => [encode(decode(name)), encode(decode(value))] as const)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const signingKeys = new Map<string, KeyObject>();

/** Derived once a day and service, as clients do. */
function signingKey(secret: string, { date, region, service }: SignatureScope): KeyObject {
  const id = `${secret}/${date}/${region}/${service}`;
  const known = signingKeys.get(id);
  if (known !== undefined) return known;
  const steps = [date, region, service, 'aws4_request'];
  const key = createSecretKey(
    steps.reduce<Buffer>(
      (previous, step) => createHmac('sha256', previous).update(step).digest(),
      Buffer.from(`AWS4${secret}`),
    ),
  );
  if (signingKeys.size > 1000) signingKeys.clear();
  signingKeys.set(id, key);
  return key;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
