import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { base64url, CompactEncrypt, compactDecrypt, errors } from 'jose';
import { DAY_MS } from '../clock.ts';
import { invalidRequest } from '../http/invalid-request.ts';

/** What a cursor is valid for: any other use of it is refused. */
export interface CursorScope {
  readonly workspaceId: string;
  /** The workspace's sealing key: 32 bytes in base64url. */
  readonly cursorKey: string;
  readonly endpoint: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

/** A listing that is continued after a week is better begun anew. */
const LIFETIME_MS = 7 * DAY_MS;

const invalid = () =>
  invalidRequest({
    path: 'query.cursor',
    message:
      'is not valid for this list; send next_cursor of the previous page unchanged, with the same filters, within 7 days',
  });

/** Names the list: a cursor of one names no place in another. */
const listOf = ({ workspaceId, endpoint, filters }: CursorScope): string =>
  createHash('sha256')
    .update(canonicalize([workspaceId, endpoint, filters]) ?? '')
    .digest('base64url');

const keyOf = ({ cursorKey }: CursorScope) => base64url.decode(cursorKey);

/** Seals the place after which the next page starts (AES-256-GCM, as JWE). */
export function sealCursor(after: string, scope: CursorScope, nowMs: number): Promise<string> {
  const content = JSON.stringify({ after, list: listOf(scope), until: nowMs + LIFETIME_MS });
  return new CompactEncrypt(Buffer.from(content))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(keyOf(scope));
}

/**
 * Opens a cursor of this very list.
 *
 * @throws {RequestError} invalid_request for anything else, whatever the reason.
 */
export async function openCursor(cursor: string, scope: CursorScope, nowMs: number): Promise<string> {
  // Base64url has spare bits at its end; a cursor that differs in them is another text and not ours.
  const isCanonical = cursor
    .split('.')
    .every((part) => base64url.encode(Buffer.from(part, 'base64url')) === part);
  if (!isCanonical) throw invalid();
  try {
    const { plaintext } = await compactDecrypt(cursor, keyOf(scope), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    const { after, list, until } = JSON.parse(Buffer.from(plaintext).toString('utf8'));
    if (list !== listOf(scope) || until <= nowMs) throw invalid();
    return after;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw invalid();
    throw error;
  }
}
