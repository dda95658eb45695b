import * as v from 'valibot';
import { issuePath, issueText } from './issue-text.ts';

/** The variables a schema of the environment names, for the construct that must provide them. */
export type EnvOf<Schema extends v.ObjectSchema<v.ObjectEntries, undefined>> = Record<
  keyof Schema['entries'],
  string
>;

/**
 * Reads a function's environment, once, at its cold start.
 *
 * @throws {Error} when a variable is missing or malformed; the text names each, so that a deployment
 * that forgot one fails on its first start and says so.
 */
export function readEnv<const Schema extends v.GenericSchema>(schema: Schema): v.InferOutput<Schema> {
  const read = v.safeParse(schema, process.env, { message: issueText });
  if (read.success) return read.output;
  const problems = read.issues.map((issue) => `${issuePath(issue).join('.')} ${issue.message}`);
  throw new Error(`the environment of this function is incomplete: ${problems.join('; ')}`);
}
