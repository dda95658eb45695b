import { type FakeAnswer, type FakeRequest, fieldsOf } from './fake-platform.ts';

/** Ends a request with a refusal, from anywhere within it. */
export class FakeRefusal extends Error {
  readonly answer: FakeAnswer;

  constructor(answer: FakeAnswer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

/** Runs a request; a refusal thrown anywhere in it is its answer. */
export async function orRefusal(run: () => Promise<FakeAnswer>): Promise<FakeAnswer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FakeRefusal) return error.answer;
    throw error;
  }
}

/** The tokens of an account as they are now; those before them are no longer taken. */
interface Grant {
  access: string;
  refresh: string;
}

/** What is known of tokens, by account. */
export type Grants = Record<string, Grant>;

/**
 * The account a token is for: fake tokens name it, `tiktok-000123-...`. Any such token is taken until the
 * account's tokens were renewed, and then the new one alone; undefined for all others.
 */
export function bearerAccount({ headers }: FakeRequest, grants: Grants): string | undefined {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const account = /^\w+-(\d+)-/.exec(token)?.[1];
  if (account === undefined) return undefined;
  const grant = grants[account];
  return grant && grant.access !== token ? undefined : account;
}

/**
 * Renews tokens by a refresh token.
 *
 * @returns the new tokens, or undefined when the refresh token is not, or no longer, the account's.
 */
export async function renew(
  request: FakeRequest,
  grants: Grants,
  { name, replacesRefreshToken }: { name: string; replacesRefreshToken: boolean },
): Promise<Grant | undefined> {
  const { refresh_token = '' } = await fieldsOf(request);
  const account = /^refresh-(\d+)-/.exec(refresh_token)?.[1];
  if (account === undefined) return undefined;
  const known = grants[account];
  if (known && known.refresh !== refresh_token) return undefined;
  const count = Number(/-r(\d+)$/.exec(known?.access ?? '')?.[1] ?? 0) + 1;
  const refresh = replacesRefreshToken ? `refresh-${account}-r${count}` : refresh_token;
  const grant = { access: `${name}-${account}-r${count}`, refresh };
  grants[account] = grant;
  return grant;
}
