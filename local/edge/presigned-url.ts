import type { IncomingMessage } from 'node:http';
import { AwsError } from './aws-error.ts';
import { refusedCaller } from './caller.ts';
import { isSignedBy, type SignatureScope } from './sigv4.ts';

const LONGEST_EXPIRY_SECONDS = 7 * 24 * 60 * 60;

/**
 * Checks a presigned URL as S3 does: its signature over method, path, query and the signed headers (so a
 * signed type or length holds), and its expiry.
 *
 * @throws {AwsError} 403 when it is not, or no longer, what was signed
 */
export function assertPresigned(
  request: IncomingMessage,
  query: URLSearchParams,
  {
    scope,
    secret,
    nowMs,
  }: { readonly scope: SignatureScope; readonly secret: string; readonly nowMs: number },
): void {
  const expiresInSeconds = Number(query.get('X-Amz-Expires'));
  if (!(expiresInSeconds >= 1 && expiresInSeconds <= LONGEST_EXPIRY_SECONDS)) {
    throw new AwsError(
      'AuthorizationQueryParametersError',
      'X-Amz-Expires must be between 1 and 604800 seconds',
    );
  }
  if (nowMs >= signedAtMs(scope.timestamp) + expiresInSeconds * 1000) {
    throw new AwsError('AccessDenied', 'Request has expired', 403);
  }
  const unsigned = Object.keys(request.headers).filter(
    (name) => name.startsWith('x-amz-') && !scope.signedHeaders.includes(name),
  );
  if (unsigned.length > 0 || !scope.signedHeaders.includes('host')) {
    throw new AwsError(
      'AccessDenied',
      `There were headers present in the request which were not signed: ${unsigned}`,
      403,
    );
  }
  const payloadHash = String(
    request.headers['x-amz-content-sha256'] ?? query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  );
  if (!isSignedBy(secret, request, { scope, payloadHash })) throw refusedCaller('s3', 'wrong');
}

/** `20261121T010203Z` in milliseconds since 1970. */
function signedAtMs(timestamp: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(timestamp) ?? [];
  const parsed = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(parsed))
    throw new AwsError('AuthorizationQueryParametersError', 'X-Amz-Date must be in ISO 8601 basic form');
  return parsed;
}
