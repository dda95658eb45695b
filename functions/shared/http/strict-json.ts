import { parse } from 'lossless-json';
import { RequestError } from '../request-error.ts';

/** Deeper or wider bodies have no meaning here and cost time to read (threat: JSON bombs). */
const MAX_DEPTH = 32;
const MAX_KEYS = 2000;

const invalid = (what: string) =>
  new RequestError('invalid_request', `the body is not acceptable JSON: ${what}`);

/**
 * Parses a JSON body so that two different texts never read as the same request: duplicate keys, lone
 * surrogates, NUL characters, numbers that lose precision and absurd depth are refused, where
 * `JSON.parse` would silently change them.
 *
 * @throws {RequestError} invalid_request, saying what was wrong.
 */
export function parseStrictJson(text: string): unknown {
  refuseDepth(text);
  let value: unknown;
  try {
    value = parse(text, undefined, { parseNumber: exactNumber, onDuplicateKey: refuseDuplicate });
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (error instanceof SyntaxError) throw invalid(error.message);
    throw error;
  }
  inspect(value, { keys: 0 });
  return value;
}

function refuseDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAX_DEPTH) throw invalid(`it nests deeper than ${MAX_DEPTH} levels`);
    } else if (character === '}' || character === ']') depth -= 1;
  }
}

function refuseDuplicate({ key }: { key: string }): never {
  throw invalid(`the key ${JSON.stringify(key)} appears twice in one object`);
}

function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw invalid(`the number ${text.slice(0, 40)} is too large to be read exactly`);
  }
  return value;
}

function inspect(value: unknown, seen: { keys: number }): void {
  if (typeof value === 'string') refuseText(value);
  else if (Array.isArray(value)) for (const item of value) inspect(item, seen);
  else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      seen.keys += 1;
      if (seen.keys > MAX_KEYS) throw invalid(`it has more than ${MAX_KEYS} keys`);
      refuseText(key);
      inspect(item, seen);
    }
  }
}

function refuseText(text: string): void {
  if (!text.isWellFormed()) throw invalid('a string holds half of a surrogate pair');
  if (text.includes('\0')) throw invalid('a string holds a NUL character');
}
