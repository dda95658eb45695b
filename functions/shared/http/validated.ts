import * as v from 'valibot';
import { issuePath, issueText } from '../issue-text.ts';
import { type Issue, invalidRequest } from './invalid-request.ts';

/**
 * What the schema makes of a value.
 *
 * @throws {RequestError} invalid_request, with all problems. The received value is not repeated: it may be long,
 * or secret.
 */
export function validated<const Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  where: 'body' | 'query' | 'path',
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, value, { message: issueText });
  if (read.success) return read.output;
  const [first, ...others] = read.issues;
  const issueOf = (issue: v.BaseIssue<unknown>): Issue => ({
    path: [where, ...issuePath(issue)].join('.'),
    message: issue.message,
  });
  throw invalidRequest(issueOf(first), ...others.map(issueOf));
}
