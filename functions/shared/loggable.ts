import * as v from 'valibot';
import { issuePath } from './issue-text.ts';

/**
 * What may be logged of an error: its name, text, place and cause. Its other attributes are left out, since
 * they hold payloads (rows that refused a write, input that did not fit a schema); of texts that quote the
 * input they could not read only the place in it is kept.
 */
export function loggable(error: Error): Record<string, unknown> {
  const message = unquoted(error);
  const frames = error.stack?.split('\n').filter((line) => /^ +at /.test(line));
  return {
    name: error.name,
    message,
    stack: [`${error.name}: ${message}`, ...(frames ?? [])].join('\n'),
    ...(error.cause instanceof Error && { cause: loggable(error.cause) }),
  };
}

function unquoted(error: Error): string {
  if (error instanceof v.ValiError) {
    const places = error.issues.map((issue: v.BaseIssue<unknown>) => issuePath(issue).join('.') || '(whole)');
    return `does not fit its schema at ${places.join(', ')}`;
  }
  return error instanceof SyntaxError ? 'a text could not be parsed' : error.message;
}
