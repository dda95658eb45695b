import type * as v from 'valibot';

/** How a JSON type is called in a sentence; valibot names them as its schemas are called. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Array: 'an array',
  Object: 'an object',
};

/**
 * A problem a schema found, in words that follow the name of the field: "is required". It is what valibot
 * says where the schema has no message of its own, and never repeats the input, which may be long or secret.
 */
export function issueText({ kind, type, expected, received }: v.BaseIssue<unknown>): string {
  if (type === 'strict_object' && expected === 'never') return 'is not a known field; remove it';
  if (kind === 'schema' && received === 'undefined') return 'is required';
  if (type === 'integer' || type === 'safe_integer') return 'must be a whole number';
  if (expected === null) return 'is not valid';
  const choices = /^\((.+)\)$/.exec(expected)?.[1];
  return choices
    ? `must be one of ${choices.replaceAll(' | ', ', ')}`
    : `must be ${TYPES[expected] ?? expected}`;
}

/** A field nobody knows may have a name of any length; so much of it is said again. */
const SHOWN_CHARACTERS = 60;

/** A text of the caller's, short enough to be repeated in an error. */
export const shown = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : text;

/** Where a problem is, as the keys that lead to it. */
export const issuePath = ({ path }: v.BaseIssue<unknown>): string[] =>
  (path ?? []).map(({ key }) => shown(String(key)));
