import type * as v from 'valibot';
import type { Clock } from '../shared/clock.ts';
import { refuseEncoded } from '../shared/http/content-encoding.ts';
import { type HttpReply, httpHandler, jsonReply, refusal } from '../shared/http/http-handler.ts';
import type { HttpRequest } from '../shared/http/http-request.ts';
import type { Operation } from '../shared/http/operation.ts';
import { readJson } from '../shared/http/read-json.ts';
import { readQuery } from '../shared/http/read-query.ts';
import { validated } from '../shared/http/validated.ts';
import {
  type IdempotentRequest,
  idempotentRequest,
  readIdempotencyKey,
} from '../shared/idempotency/idempotent-request.ts';
import { RequestError } from '../shared/request-error.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { authenticate, type Caller } from './authenticate.ts';

/** A request that has passed the door: who calls, and what, with every part validated. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** A call that must take effect once. */
export interface WriteCall<Params = unknown, Query = unknown, Body = unknown>
  extends Call<Params, Query, Body> {
  readonly request: IdempotentRequest;
}

interface Door {
  readonly apiKeys: ApiKeyStore;
  readonly clock: Clock;
}

/**
 * Lambda takes events of 6 MB, in which every quote of the body is escaped again. The largest legal post
 * is half of this in UTF-8. Written in ASCII escapes it passes too, unless it has 25 full descriptions besides
 * its captions and alt texts: that would be more than Lambda takes.
 */
const MAX_BODY_BYTES = 5 * 1024 * 1024;

type CallOf<O> =
  O extends Operation<infer Params, infer Query, infer Body>
    ? Call<v.InferOutput<Params>, v.InferOutput<Query>, v.InferOutput<Body>>
    : never;
type WriteCallOf<O> = CallOf<O> & { readonly request: IdempotentRequest };

/** The preset of endpoints that change no record: authentication, rate limit, scope, validation, then the use case. */
export function readEndpoint<const O extends Operation>(
  operation: O,
  door: Door,
  run: (call: CallOf<O>) => Promise<unknown>,
) {
  return httpHandler((request) =>
    admitted(operation, door, request, async (caller) => {
      const json = operation.body && readBody(request, operation);
      const call = { caller, ...parts(operation, request, json) } as CallOf<O>;
      return jsonReply(operation.success.status, await run(call));
    }),
  );
}

/**
 * The preset of endpoints that write. The checks come in the order the interface's errors are tried:
 * 401, 429, 403, Idempotency-Key, size, syntax; what follows is the use case's, inside its one transaction.
 */
export function writeEndpoint<const O extends Operation, Other = never>(
  operation: O,
  door: Door,
  run: (
    call: WriteCallOf<O> | (Omit<WriteCallOf<O>, 'body'> & { readonly body: Other }),
  ) => Promise<HttpReply>,
  readOther?: OtherBodies<Other>,
) {
  return httpHandler((request) =>
    admitted(operation, door, request, async (caller) => {
      const key = readIdempotencyKey(request.header('idempotency-key'));
      const other = await readOther?.(request, () => readBytes(request));
      const isJson = other?.body === undefined;
      const json = isJson && operation.body ? readBody(request, operation) : undefined;
      return run({
        caller,
        ...parts(isJson ? operation : { ...operation, body: undefined }, request, json),
        ...(!isJson && { body: other.body }),
        request: idempotentRequest({
          workspaceId: caller.workspaceId,
          key,
          method: request.method,
          path: request.path,
          body: other?.identity ?? json,
        }),
      } as WriteCallOf<O>);
    }),
  );
}

/**
 * Reads bodies that are not, or not only, the operation's JSON; undefined for those that are. `identity` stands
 * for the request when it is repeated; `body` is passed on unvalidated.
 */
export type OtherBodies<Other> = (
  request: HttpRequest,
  bytes: () => Uint8Array,
) => Promise<{ readonly identity: unknown; readonly body?: Other } | undefined>;

async function admitted(
  operation: Operation,
  { apiKeys, clock }: Door,
  request: HttpRequest,
  run: (caller: Caller) => Promise<HttpReply>,
): Promise<HttpReply> {
  const caller = await authenticate(request.header('authorization'), apiKeys, clock());
  const reply = await admit(operation, caller, run).catch((error: unknown) => refusal(error, request));
  return { ...reply, headers: { ...caller.rateHeaders, ...reply.headers } };
}

async function admit({ scope }: Operation, caller: Caller, run: (caller: Caller) => Promise<HttpReply>) {
  if (scope !== 'none' && !caller.scopes.includes(scope)) {
    throw new RequestError('forbidden', `this key lacks the scope ${scope}; use a key that has it`);
  }
  return run(caller);
}

const readBody = (request: HttpRequest, { formFile }: Operation): unknown =>
  readJson(readBytes(request), { contentType: request.contentType, takesForm: formFile !== undefined });

/** @throws {RequestError} payload_too_large; invalid_request for compressed ones. */
function readBytes(request: HttpRequest): Uint8Array {
  const bytes = request.body();
  if (bytes.length > MAX_BODY_BYTES) {
    throw new RequestError(
      'payload_too_large',
      `the body has ${bytes.length} bytes; at most ${MAX_BODY_BYTES} are taken; send media through POST /media/upload-url`,
    );
  }
  refuseEncoded(request.header('content-encoding'));
  return bytes;
}

function parts(operation: Operation, request: HttpRequest, json?: unknown) {
  const { params, body } = operation;
  return {
    params: params && validated(params, request.params, 'path'),
    query: readQuery(operation, request.query),
    body: body && validated(body, json, 'body'),
  };
}
