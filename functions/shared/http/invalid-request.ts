import { RequestError } from '../request-error.ts';

/** A problem of a request. The message follows the path in a sentence: `body.caption`, "is required". */
export interface Issue {
  /** Where it is: `body.channels.0.id`, `query.status`, `header.Content-Encoding`. */
  readonly path: string;
  readonly message: string;
}

/** Only so many problems are listed: a body can be wrong in thousands of places. */
const LISTED_ISSUES = 20;

/** The refusal of a malformed request: the message is its first problem, `details.issues` lists them. */
export function invalidRequest(...issues: readonly [Issue, ...Issue[]]): RequestError {
  const [{ path, message }] = issues;
  return new RequestError('invalid_request', `${path} ${message}`, {
    details: { issues: issues.slice(0, LISTED_ISSUES) },
  });
}
