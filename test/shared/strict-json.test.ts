import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../functions/shared/http/strict-json.ts';
import { RequestError } from '../../functions/shared/request-error.ts';

const refusalOf = (text: string): string => {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (error instanceof RequestError && error.code === 'invalid_request') return error.message;
    throw error;
  }
  throw new Error(`was accepted: ${text.slice(0, 100)}`);
};

describe('parseStrictJson', () => {
  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(
        fc
          .jsonValue({ stringUnit: 'grapheme', maxDepth: 5 })
          .map((value) => JSON.stringify(value))
          .filter((text) => !/\\u0000|\d{16}|e\+/.test(text)),
        (text) => {
          expect(JSON.stringify(parseStrictJson(text))).toBe(text);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ['nothing', '', 'end of JSON input'],
    ['an unfinished object', '{"a":1', 'position 6'],
    ['a comma too many', '[1,]', "']'"],
    ['single quotes', "{'a':1}", 'property name'],
    ['a comment', '{} // no', 'position 3'],
    ['a byte order mark', '\ufeff{}', 'Unexpected token'],
    ['two values', '{} {}', 'after JSON at position 3'],
    ['NaN', 'NaN', 'not valid JSON'],
    ['a leading zero', '01', 'Unexpected number'],
    ['a duplicate key', '{"a":1,"a":2}', 'the key "a" appears twice'],
    ['a duplicate key with the same value', '{"a":1,"a":1}', 'the key "a" appears twice'],
    ['a duplicate key in another spelling', '{"a":1,"\\u0061":1}', 'the key "a" appears twice'],
    ['a duplicate key far down', '[{"b":{"a":[],"a":[1]}}]', 'the key "a" appears twice'],
    ['half a surrogate pair', '{"a":"\\ud800"}', 'surrogate'],
    ['half a surrogate pair in a key', '{"\\udc00":1}', 'surrogate'],
    ['NUL', '["\\u0000"]', 'NUL'],
    ['an integer that loses precision', '9007199254740993', 'the number 9007199254740993 is too large'],
    ['a number beyond all doubles', '-1e999', 'the number -1e999 is too large'],
  ])('refuses %s', (_, text, problem) => {
    expect(refusalOf(text)).toContain(problem);
  });

  it('takes 32 levels and no more, and is not misled by brackets in strings', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}"]]}{\\"["${']'.repeat(levels)}`;

    expect(parseStrictJson(nested(32))).toBeInstanceOf(Array);
    expect(refusalOf(nested(33))).toContain('deeper than 32 levels');
    expect(refusalOf('['.repeat(1_000_000) + ']'.repeat(1_000_000))).toContain('deeper than 32 levels');
  });

  it('takes 2000 keys and no more', () => {
    const keys = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0])));

    expect(Object.keys(parseStrictJson(keys(2000)) as object)).toHaveLength(2000);
    expect(refusalOf(keys(2001))).toContain('more than 2000 keys');
  });

  it('reads __proto__ as a key like any other, so that it hides no field', () => {
    const value = parseStrictJson('{"__proto__":{"caption":"hidden"}}') as { caption?: string };

    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(value.caption).toBeUndefined();
  });
});
