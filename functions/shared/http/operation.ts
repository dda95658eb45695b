import type * as v from 'valibot';

/** What a key may be allowed to do. */
export const SCOPES = ['posts:read', 'posts:write', 'media:read'] as const;
export type Scope = (typeof SCOPES)[number];

/** A schema of a query: an object with a field for each parameter. */
export type QuerySchema<Output = unknown> = v.GenericSchema<unknown, Output> & {
  readonly entries: v.ObjectEntries;
};

/**
 * One endpoint as data: what validates its requests, what documents it, and what its route is, written
 * once. The OpenAPI document is made from these values, so a schema changed here is changed everywhere.
 */
export interface Operation<
  Params extends v.GenericSchema = v.GenericSchema,
  Query extends QuerySchema = QuerySchema,
  Body extends v.GenericSchema = v.GenericSchema,
> {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the version prefix, with API Gateway's braces: `/posts/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Needed of the key; `none` where any valid key will do. */
  readonly scope: Scope | 'none';
  /** Whether an Idempotency-Key is required and honoured. */
  readonly idempotent: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** What is said of the part `file`, where a form with it is taken as well as `body`. @default no form is taken */
  readonly formFile?: string;
  readonly success: {
    readonly status: 200 | 201 | 202;
    readonly description: string;
    readonly schema: v.GenericSchema;
  };
  /** The refusals a client must expect besides 400, 401, 403 and 429, which every endpoint has. */
  readonly refusals: readonly (400 | 402 | 404 | 409 | 413 | 422 | 502)[];
}

/** Keeps an operation's literal types while checking its shape. */
export const defineOperation = <
  Params extends v.GenericSchema = v.GenericSchema<unknown, undefined>,
  Query extends QuerySchema = QuerySchema<undefined>,
  Body extends v.GenericSchema = v.GenericSchema<unknown, undefined>,
  const Path extends string = string,
>(
  operation: Operation<Params, Query, Body> & { readonly path: Path },
): Operation<Params, Query, Body> & { readonly path: Path } => operation;
