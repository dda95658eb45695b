import type { FakeAnswer, FakeRequest } from './fake-platform.ts';

/** A refusal of the Graph API. */
export class GraphRefusal extends Error {
  readonly answer: FakeAnswer;

  constructor(code: number, message: string, subcode?: number) {
    super(message);
    const error = { message, type: 'OAuthException', code, fbtrace_id: 'fake' };
    this.answer = {
      status: code === 190 ? 401 : 400,
      body: { error: subcode === undefined ? error : { ...error, error_subcode: subcode } },
    };
  }
}

/** Runs a request; a refusal thrown anywhere in it is its answer. */
export async function graphAnswer(run: () => Promise<object>): Promise<FakeAnswer> {
  try {
    return { status: 200, body: await run() };
  } catch (error) {
    if (error instanceof GraphRefusal) return error.answer;
    throw error;
  }
}

/**
 * The account a token belongs to: fake tokens name it, `EAA-1001-...`. Taken from the header or the field,
 * as the Graph API does.
 */
export function accountOf({ headers }: FakeRequest, fields: Readonly<Record<string, string>>): string {
  const token = headers.authorization?.replace(/^(Bearer|OAuth) /, '') ?? fields.access_token ?? '';
  const account = /^(?:EAA|IGA)-(\d+)-/.exec(token)?.[1];
  if (account === undefined) throw new GraphRefusal(190, 'Invalid OAuth access token.', 467);
  return account;
}

/** A field that must be there. */
export function required(fields: Readonly<Record<string, string>>, name: string): string {
  const value = fields[name];
  if (value === undefined || value === '') throw new GraphRefusal(100, `The parameter ${name} is required.`);
  return value;
}

/** The object a request is about. */
export function existing<T>(objects: Readonly<Record<string, T>>, id: string): T {
  const found = Object.hasOwn(objects, id) ? objects[id] : undefined;
  if (!found) {
    throw new GraphRefusal(100, `Unsupported request. Object with ID '${id}' does not exist.`, 33);
  }
  return found;
}

/** Parses a JSON field. */
export function jsonField(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) throw new GraphRefusal(100, 'Invalid parameter');
    throw error;
  }
}

/** The segments of a path below the version. */
export const segmentsOf = (path: string): string[] =>
  path
    .replace(/^\/v\d+\.\d+\//, '')
    .replace(/^\//, '')
    .split('/');

export const DAY_MS = 24 * 60 * 60 * 1000;

/** The Graph API's form of a time: no milliseconds, a zone without a colon. */
export const graphTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, '+0000');
