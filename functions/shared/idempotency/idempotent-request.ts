import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { invalidRequest } from '../http/invalid-request.ts';

/** Identifies one logical request of a workspace, however often it is sent. */
export interface IdempotentRequest {
  readonly workspaceId: string;
  /** SHA-256 of the Idempotency-Key: no text of a client becomes part of a row's name. */
  readonly hashedKey: string;
  /** Equal for two requests exactly if they ask for the same thing. */
  readonly fingerprint: string;
}

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

/** 8 to 200 visible ASCII characters; the unit of the limit is then no question. */
const KEY_FORM = /^[\x21-\x7e]{8,200}$/;

/**
 * Reads the Idempotency-Key of a write.
 *
 * @throws {RequestError} invalid_request when it is missing or malformed.
 */
export function readIdempotencyKey(header: string | undefined): string {
  const key = header?.trim() ?? '';
  if (KEY_FORM.test(key)) return key;
  throw invalidRequest({
    path: 'header.Idempotency-Key',
    message:
      key === ''
        ? 'is missing; send one unique value per logical request, such as a UUID'
        : 'must be 8 to 200 visible ASCII characters; a UUID is a good choice',
  });
}

/**
 * Names a request. Method and path take part, so that one key used for two different calls is noticed
 * even where neither has a body. JSON bodies count by their canonical form (RFC 8785): a client library
 * that writes the same object in another order still repeats the same request.
 */
export function idempotentRequest(of: {
  workspaceId: string;
  key: string;
  method: string;
  path: string;
  body: unknown;
}): IdempotentRequest {
  const body = of.body === undefined ? '' : (canonicalize(of.body) ?? '');
  return {
    workspaceId: of.workspaceId,
    hashedKey: sha256(of.key),
    // Ids in a path mean the same in either case.
    fingerprint: sha256(['v1', of.method, of.path.toLowerCase(), sha256(body)].join('\n')),
  };
}
