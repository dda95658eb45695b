import { shown } from '../issue-text.ts';
import { invalidRequest } from './invalid-request.ts';
import { parseStrictJson } from './strict-json.ts';

const JSON_TYPE = /^(application|text)\/([\w.-]+\+)?json$/;

interface Sent {
  /** Without parameters, in lower case; empty where there is none. */
  readonly contentType: string;
  /** Whether a form is taken here as well. */
  readonly takesForm: boolean;
}

/**
 * Reads a body of JSON. Its bytes decide, not its type: curl and fetch name another one unless told not to. A
 * body that is no JSON is told what was wanted, and what its type said.
 *
 * @throws {RequestError} invalid_request.
 */
export function readJson(bytes: Uint8Array, { contentType, takesForm }: Sent): unknown {
  const form = takesForm ? ', or multipart/form-data with a part "file"' : '';
  const advice = `send a JSON object with Content-Type: application/json${form}`;
  const text = utf8Of(bytes);
  if (text === undefined) throw invalidBody(`is not text in UTF-8, uncompressed; ${advice}`);
  if (text.trim() === '') throw invalidBody(`is empty; ${advice}`);
  const came = contentType === '' ? 'without a Content-Type' : `as ${shown(contentType)}`;
  return parseStrictJson(text, JSON_TYPE.test(contentType) ? '' : `; it came ${came}: ${advice}`);
}

const invalidBody = (message: string) => invalidRequest({ path: 'body', message });

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
