import * as v from 'valibot';

/** The length of a text in Unicode code points, the unit of JSON Schema and of the interface's limits. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * A text of `min` to `max` code points; for a text that must say something, white space alone is not
 * enough. The limits also become `minLength` and `maxLength` of the OpenAPI document.
 */
export const text = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.check(
      (value) => codePoints(value) <= max && codePoints(value) >= min && (min === 0 || value.trim() !== ''),
      ({ input }) =>
        codePoints(input) > max
          ? `must have at most ${max} characters (Unicode code points), got ${codePoints(input)}`
          : `must have at least ${min} character${min === 1 ? '' : 's'} other than white space`,
    ),
    v.metadata({ minLength: min, maxLength: max, ...(min > 0 && { pattern: '\\S' }) }),
  );

/** An id in the form clients know; upper case is read as lower case. */
export const Uuid = v.pipe(v.string(), v.uuid('must be a UUID'), v.toLowerCase());
