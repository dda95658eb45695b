import * as v from 'valibot';
import { issuePath, issueText } from '../issue-text.ts';
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
  const read = v.safeParse(schema, value, { message: issueText });
  if (read.success) return read.output;
  const issues = read.issues.slice(0, LISTED_ISSUES).map((issue) => ({
    path: [where, ...issuePath(issue)].join('.'),
    message: issue.message,
  }));
  throw new RequestError(
    'invalid_request',
    issues.map(({ path, message }) => `${path} ${message}`)[0] ?? '',
    {
      details: { issues },
    },
  );
}
