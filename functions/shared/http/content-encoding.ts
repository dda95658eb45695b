import { invalidRequest } from './invalid-request.ts';

/**
 * Refuses a body that says of itself that it is compressed.
 *
 * @throws {RequestError} invalid_request.
 */
export function refuseEncoded(contentEncoding: string | undefined): void {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return;
  throw invalidRequest({
    path: 'header.Content-Encoding',
    message: 'must be left out: bodies are taken uncompressed; send this one as it is',
  });
}
