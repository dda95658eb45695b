import type { IncomingMessage } from 'node:http';
import { AwsError } from './aws-error.ts';
import type { Identity, KeyRing } from './credentials.ts';
import { isSignedBy, type SignatureScope, scopeOfHeader, sha256Hex } from './sigv4.ts';

/** AWS's two sets of words for a caller it does not accept: S3's own, and everybody else's. */
const REFUSALS = {
  s3: {
    missing: ['AccessDenied', 'Access Denied', 403],
    unknown: ['InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.', 403],
    wrong: [
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
      403,
    ],
  },
  other: {
    missing: ['MissingAuthenticationTokenException', 'Request is missing Authentication Token', 400],
    unknown: ['UnrecognizedClientException', 'The security token included in the request is invalid.', 400],
    wrong: [
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided.',
      400,
    ],
  },
} as const satisfies Record<string, Record<string, readonly [string, string, number]>>;

/** A refusal of the caller, worded as the service words it. */
export function refusedCaller(service: string, why: 'missing' | 'unknown' | 'wrong'): AwsError {
  const [code, message, status] = REFUSALS[service === 's3' ? 's3' : 'other'][why];
  return new AwsError(code, message, status);
}

/** Who owns the key of a signature. @throws {AwsError} when nobody does */
export function ownerOf(scope: SignatureScope, keys: KeyRing): Identity {
  const identity = keys.identify(scope.accessKeyId);
  if (identity === undefined) throw refusedCaller(scope.service, 'unknown');
  return identity;
}

/**
 * Checks a signature in the Authorization header. `body` is undefined for a streamed one: then the header
 * `x-amz-content-sha256` is what is signed, and whoever reads the stream holds the bytes against it.
 *
 * @throws {AwsError} when the header is absent, its key unknown, or the signature another's
 */
export function callerOfHeader(request: IncomingMessage, keys: KeyRing, body: Buffer | undefined): Identity {
  const scope = scopeOfHeader(request);
  if (scope === undefined) throw refusedCaller('other', 'missing');
  const identity = ownerOf(scope, keys);
  const payloadHash =
    body === undefined ? String(request.headers['x-amz-content-sha256'] ?? '') : sha256Hex(body);
  if (!isSignedBy(identity.credentials.secretAccessKey, request, { scope, payloadHash })) {
    throw refusedCaller(scope.service, 'wrong');
  }
  return identity;
}
