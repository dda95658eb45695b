/** The status of each error code a client may see. Codes are stable: clients branch on them. */
export const STATUS_OF_CODE = {
  invalid_request: 400,
  unauthorized: 401,
  quota_exceeded: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  idempotency_conflict: 409,
  payload_too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  internal_error: 500,
  upstream_error: 502,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;

interface ErrorExtras {
  /** What a program needs to act on the error; part of the answer. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Headers of the answer, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Ends a request by the caller's fault. The message is shown to the caller: it says what was wrong,
 * where, and what to do; it holds no secret and nothing of another workspace.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: ErrorCode;
  readonly details: ErrorExtras['details'];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message);
    this.code = code;
    this.details = extras.details;
    this.headers = extras.headers ?? {};
  }

  get status(): number {
    return STATUS_OF_CODE[this.code];
  }

  /** The body of the answer: the one envelope all errors share. */
  get envelope(): { error: { code: ErrorCode; message: string; details?: object } } {
    const { code, message, details } = this;
    return { error: { code, message, ...(details && { details }) } };
  }
}
