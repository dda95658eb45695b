import type { IncomingMessage, ServerResponse } from 'node:http';
import { AwsError } from './aws-error.ts';
import type { Answer, EdgeCall, EdgeService } from './call.ts';
import { callerOfHeader, ownerOf, refusedCaller } from './caller.ts';
import type { Counts } from './counts.ts';
import type { Identity, KeyRing } from './credentials.ts';
import type { Fault, Faults } from './faults.ts';
import { authorise } from './iam/authorise.ts';
import { inject, LostReply, type OnCrash } from './inject.ts';
import { type Json, objectOf } from './json.ts';
import { assertPresigned } from './presigned-url.ts';
import { readAll } from './read-all.ts';
import { scopeOfHeader, scopeOfQuery } from './sigv4.ts';

/** What a call is served with. */
export interface EdgeContext {
  readonly keys: KeyRing;
  readonly services: Readonly<Record<string, EdgeService>>;
  readonly counts: Counts;
  readonly faults: Faults;
  readonly requestIds: ReadonlyMap<string, string>;
  readonly onCrash: OnCrash;
  readonly now: () => number;
}

/**
 * One AWS call from its signature to its answer: who calls, what it needs, whether a fault is due, and
 * only then the call itself. Every call that names a service is counted, refused ones too.
 *
 * @throws {LostReply} when the caller's connection must break instead
 */
export async function serveCall(
  context: EdgeContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer> {
  const url = request.url ?? '/';
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
  // Whoever signs nothing can only mean S3, the one service with public requests.
  const name = (scopeOfHeader(request) ?? scopeOfQuery(query))?.service ?? 's3';
  const service = context.services[name];
  if (service === undefined) {
    return { status: 400, headers: {}, body: `the local service has no AWS service "${name}"` };
  }

  const cors = service.cors?.(request, path);
  if (request.method === 'OPTIONS') return { status: cors === undefined ? 403 : 200, headers: cors ?? {} };
  const answer = await answerOf(context, { name, service, request, response, path, query });
  return cors === undefined ? answer : { ...answer, headers: { ...answer.headers, ...cors } };
}

interface Arrived {
  readonly name: string;
  readonly service: EdgeService;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
}

async function answerOf(context: EdgeContext, arrived: Arrived): Promise<Answer> {
  const { name, service, request, response, path, query } = arrived;
  const record = recorder(context, name);
  try {
    const body = service.streams ? undefined : await readAll(request);
    const identity = callerOf(context, { request, query, body });
    const operation = service.operation(request, path, query);
    const fault = context.faults.next({ principal: identity.principal, service: name, operation });
    record.learn(identity, operation, fault);

    const call: EdgeCall = {
      ...{ principal: identity.principal, instance: identity.instance, service: name, operation },
      ...{
        request,
        path,
        query,
        body: body ?? Buffer.alloc(0),
        input: inputOf(body),
        gone: () => hangUpOf(response),
      },
    };
    authorise(call.principal, service.needs(call));
    const perform = () => service.perform(call);
    const answer = await (fault === undefined
      ? perform()
      : inject(perform, { call, service, fault, onCrash: context.onCrash }));
    record.end(answer.status, answer.error ?? '', answer.usage);
    return answer;
  } catch (error) {
    if (error instanceof LostReply) record.end(0, error.name);
    if (!(error instanceof AwsError)) throw error;
    record.end(error.status, error.code);
    return service.refusal(error);
  }
}

function callerOf(
  { keys, now }: EdgeContext,
  { request, query, body }: { request: IncomingMessage; query: URLSearchParams; body: Buffer | undefined },
): Identity {
  if (request.headers.authorization !== undefined) return callerOfHeader(request, keys, body);
  const scope = scopeOfQuery(query);
  if (scope === undefined) throw refusedCaller('s3', 'missing');
  const identity = ownerOf(scope, keys);
  assertPresigned(request, query, { scope, secret: identity.credentials.secretAccessKey, nowMs: now() });
  return identity;
}

function hangUpOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.once('close', () => gone.abort());
  return gone.signal;
}

function inputOf(body: Buffer | undefined): Json {
  if (body === undefined || body.length === 0) return {};
  try {
    return objectOf(JSON.parse(body.toString()));
  } catch {
    throw new AwsError('SerializationException', 'the body is no JSON object');
  }
}

/** Keeps what becomes known of a call until its record can be written. */
function recorder({ counts, requestIds, now }: EdgeContext, service: string) {
  const startedAt = performance.now();
  const at = new Date(now()).toISOString();
  let known = { principal: 'unknown', instance: '', request_id: '', operation: 'unknown', fault: '' };
  return {
    learn({ principal, instance, credentials }: Identity, operation: string, fault: Fault | undefined) {
      const request_id = requestIds.get(credentials.accessKeyId) ?? '';
      known = { principal: principal.name, instance, request_id, operation, fault: fault?.rule.fault ?? '' };
    },
    end(status: number, error: string, usage: Answer['usage'] = {}) {
      const { readUnits = 0, writeUnits = 0, itemsRead = 0 } = usage;
      const duration_ms = performance.now() - startedAt;
      const cost = { read_units: readUnits, write_units: writeUnits, items_read: itemsRead };
      counts.add({ at, service, ...known, status, error, duration_ms, ...cost });
    },
  };
}
