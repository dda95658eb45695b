import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** The parts of a JSON Schema that tests go by. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: string[];
  readonly items?: JsonSchema;
  readonly format?: string;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly schema?: JsonSchema;
}

/** An operation of openapi.json. */
export interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: object }>>;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

/** openapi.json, closed. */
export const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'),
  closed,
);

/**
 * An answer must not hold what is not described: clients generated from the document would not see it, and
 * what nobody described nobody has thought about. Clients themselves are told to be lenient.
 */
function closed(_key: string, value: unknown): unknown {
  const isObjectSchema =
    typeof value === 'object' && value !== null && 'properties' in value && 'type' in value;
  return isObjectSchema && !('additionalProperties' in value)
    ? { ...value, additionalProperties: false }
    : value;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'openapi');

/** All operations, as `GET /posts/{id}`. */
export const describedOperations = new Map<string, Described>(
  Object.entries<Record<string, Described>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, described]) => [`${method.toUpperCase()} ${path}`, described] as const,
    ),
  ),
);

const matchers = [...describedOperations.keys()].map((name) => {
  const [method = '', path = ''] = name.split(' ');
  // What is literal goes before what is a parameter: /media/upload-url is no /media/{id}.
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return { name, method, pattern, parameters: path.split('{').length };
});

/** The operation a request is for, as `GET /posts/{id}`; undefined where none is described. */
export function operationOf(method: string, path: string): string | undefined {
  const [bare = ''] = path.split('?');
  return matchers
    .filter((each) => each.method === method && each.pattern.test(bare))
    .toSorted((a, b) => a.parameters - b.parameters)[0]?.name;
}

/** The status as the document names it: all faults of ours are one. */
export const describedStatus = (name: string, status: number): string =>
  status >= 500 && !describedOperations.get(name)?.responses[status] ? '5XX' : String(status);

interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * Holds an answer against openapi.json: its status is described, its body fits, its headers are there.
 *
 * @throws {Error} that says what does not fit
 */
export function checkAnswer(answered: Answered): void {
  const { method, path, status, headers, body } = answered;
  const name = operationOf(method, path);
  if (name === undefined) return;
  const key = describedStatus(name, status);
  const complaints = [
    ...(describedOperations.get(name)?.responses[key] ? bodyProblems(name, key, body) : ['is not described']),
    ...headerProblems(status, headers, name),
  ];
  if (complaints.length > 0) {
    const shown = JSON.stringify(body)?.slice(0, 500);
    throw new Error(
      `${name} answered ${status}, which breaks openapi.json: ${complaints.join('; ')}\n${shown}`,
    );
  }
}

const compiled = new Map<string, ValidateFunction>();

function bodyProblems(name: string, status: string, body: unknown): string[] {
  const [method = '', path = ''] = name.split(' ');
  const at = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    status,
    'content',
    'application/json',
    'schema',
  ];
  const pointer = `openapi#/${at.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/')}`;
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: pointer });
  compiled.set(pointer, validate);
  if (validate(body)) return [];
  return (validate.errors ?? [])
    .slice(0, 5)
    .map(({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`);
}

function headerProblems(status: number, headers: Headers, name: string): string[] {
  const isByFunction = headers.has('x-request-id');
  const wholeNumbers = [
    ...(status === 401 || status >= 500 || !isByFunction
      ? []
      : ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']),
    ...(status === 429 ? ['Retry-After'] : []),
  ];
  const isReplay = headers.has('idempotent-replayed');
  const mayReplay = describedOperations.get(name)?.responses[String(status)]?.headers ?? {};
  return [
    ...wholeNumbers
      .filter((header) => !/^\d+$/.test(headers.get(header) ?? ''))
      .map((header) => `${header} is ${headers.get(header)}`),
    ...(/^application\/json/.test(headers.get('content-type') ?? '') ? [] : ['its type is not JSON']),
    ...(isReplay && !('Idempotent-Replayed' in mayReplay) ? ['it may not be a replay'] : []),
    ...(headers.get('cache-control') === 'no-store' ? [] : ['it may be cached']),
  ];
}
