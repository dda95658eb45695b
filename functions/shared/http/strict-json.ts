import { visit } from 'jsonc-parser';
import { shown } from '../issue-text.ts';
import { invalidRequest } from './invalid-request.ts';

/** Deeper or wider bodies have no meaning here and cost time to read (threat: JSON bombs). */
const MAX_DEPTH = 32;
const MAX_KEYS = 2000;

const invalid = (what: string) =>
  invalidRequest({ path: 'body', message: `is not acceptable JSON: ${what}` });

/**
 * Parses a JSON body so that two different texts never read as the same request: duplicate keys, lone
 * surrogates, NUL characters, numbers that lose precision and absurd depth are refused, where
 * `JSON.parse` would silently change them.
 *
 * @param advice what is said besides where the text is no JSON at all.
 * @throws {RequestError} invalid_request, saying what was wrong.
 */
export function parseStrictJson(text: string, advice = ''): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(error.message + advice);
    throw error;
  }
  inspect(text);
  return value;
}

/** Looks at what the parsed value no longer shows. The text is known to be JSON. */
function inspect(text: string): void {
  const open: Set<string>[] = [];
  let keyCount = 0;
  const enter = () => {
    open.push(new Set());
    if (open.length > MAX_DEPTH) throw invalid(`it nests deeper than ${MAX_DEPTH} levels`);
  };
  const leave = () => {
    open.pop();
  };
  visit(text, {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty(key) {
      keyCount += 1;
      if (keyCount > MAX_KEYS) throw invalid(`it has more than ${MAX_KEYS} keys`);
      if (open.at(-1)?.has(key))
        throw invalid(`the key ${JSON.stringify(shown(key))} appears twice in one object`);
      open.at(-1)?.add(key);
      refuseText(key);
    },
    onLiteralValue(literal, offset, length) {
      if (typeof literal === 'string') refuseText(literal);
      if (typeof literal === 'number') refuseNumber(literal, text.slice(offset, offset + length));
    },
  });
}

function refuseText(text: string): void {
  if (!text.isWellFormed()) throw invalid('a string holds half of a surrogate pair');
  if (text.includes('\0')) throw invalid('a string holds a NUL character');
}

function refuseNumber(value: number, written: string): void {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw invalid(`the number ${written.slice(0, 40)} is too large to be read exactly`);
  }
}
