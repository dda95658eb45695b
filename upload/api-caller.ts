import type { IncomingMessage } from 'node:http';

/** An answer of the API, to be passed on. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The API, called as the one who sent the form. */
export interface ApiCaller {
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
}

/** The API stops by itself after 30 s. */
const ANSWER_WITHIN_MS = 35_000;

/** Passes the caller's own key on, and nothing else of the request. */
export function apiCaller(apiUrl: string, { headers }: IncomingMessage): ApiCaller {
  const own = Object.fromEntries(
    ['authorization', 'idempotency-key'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const call = async (path: string, init: RequestInit): Promise<ApiAnswer> => {
    const response = await fetch(apiUrl + path, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
  return {
    get: (path) => call(path, { headers: own }),
    post: (path, body, more = {}) =>
      call(path, {
        method: 'POST',
        headers: { ...own, ...more, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}
