import * as v from 'valibot';
import { RequestError } from '../request-error.ts';

/** Only so many problems are listed: a body can be wrong in thousands of places. */
const LISTED_ISSUES = 20;

/**
 * What the schema makes of a value.
 *
 * @throws {RequestError} invalid_request: the message names the first problem with its path, `details.issues` lists
 * them. The received value is not repeated: it may be long, or secret.
 */
export function validated<const Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  where: 'body' | 'query' | 'path',
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, value);
  if (read.success) return read.output;
  const issues = read.issues.slice(0, LISTED_ISSUES).map((issue) => ({
    path: [where, ...(issue.path ?? []).map(({ key }) => String(key))].join('.'),
    message: said(issue),
  }));
  throw new RequestError(
    'invalid_request',
    issues.map(({ path, message }) => `${path} ${message}`)[0] ?? '',
    {
      details: { issues },
    },
  );
}

/** A problem in words: an unknown or missing key is named as such, all else by the schema's own message. */
function said(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'strict_object' && issue.expected === 'never') return 'is not a known field; remove it';
  const missing = issue.received === 'undefined' && issue.kind === 'schema';
  if (missing) return 'is required';
  if (issue.kind === 'schema') return `must be ${issue.expected ?? 'something else'}`;
  return issue.message;
}
