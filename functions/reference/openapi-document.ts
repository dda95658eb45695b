import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { API_PREFIX } from '../shared/http/http-request.ts';
import type { Operation } from '../shared/http/operation.ts';
import { errorSchemas, HEADERS, headersOf, refusalResponse } from './answers.ts';
import { jsonSchemaOf, namedJsonSchemas } from './json-schemas.ts';

const DESCRIPTION = `Compose, schedule and publish posts to social channels and signed webhooks.

**Writes are safe to repeat.** Every write needs an \`Idempotency-Key\`, 8 to 200 visible ASCII characters, one
per logical request. The same key with the same body within 24 hours gets the first answer again, with the
header \`Idempotent-Replayed: true\`; with a different request it is refused with 409 \`idempotency_conflict\`.

**Errors** all have the body \`{"error": {"code", "message", "details"}}\`. Codes are stable.

**Requests are read strictly.** A field that is not described, and a query parameter that is not or is sent twice,
is refused with 400 rather than left out.

**Rate limits** are per key and minute; every answer to a valid key says how it stands in \`RateLimit-*\`.

**Lists** are newest first. \`next_cursor\` is opaque and valid for the same list with the same filters, for 7 days.

**Lengths** are in Unicode code points; **times** are RFC 3339 with a zone.`;

const TAGS = {
  Posts: 'Posts and drafts: compose, schedule, publish, and see how each channel stands.',
  Channels: 'The connected social accounts and webhooks.',
  Media: 'Images and videos for posts.',
  Captions: 'Captions in the voice of the brand.',
  Workspaces: 'What a key belongs to, its limits and what is used of them.',
} as const;

/** The OpenAPI 3.1 document of these operations, made from the schemas that validate their requests. */
export function openApiDocument(operations: readonly Operation[]) {
  const used = new Set(operations.map(({ tag }) => tag));
  const byPath = Map.groupBy(operations, ({ path }) => path);
  const paths = [...byPath].map(([path, group]) => [
    path,
    Object.fromEntries(group.map((operation) => [operation.method.toLowerCase(), described(operation)])),
  ]);
  return tidy({
    openapi: '3.1.1',
    info: {
      title: 'Social post publishing',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: API_PREFIX, description: 'This service' }],
    security: [{ api_key: [] }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        api_key: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'spp_live_<lookup>_<secret>',
          description: 'An API key of the workspace, as `Authorization: Bearer <key>`.',
        },
      },
      headers: HEADERS,
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: true,
          description:
            'One unique value per logical request, such as a UUID. Repeating a request with it repeats the answer.',
          schema: { type: 'string', minLength: 8, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
          example: '9f0f9a50-3c0a-4b6f-8a0e-2f6f7d1c5b7e',
        },
      },
      schemas: { ...namedJsonSchemas(), ...errorSchemas() },
    },
  });
}

function described(operation: Operation): object {
  const { id, tag, summary, description, scope, idempotent, params, query, body, formFile, success } =
    operation;
  const scopeNote = scope === 'none' ? 'Any valid key may call it.' : `Needs the scope \`${scope}\`.`;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\n${scopeNote}`,
    parameters: [
      ...parametersOf(params, 'path'),
      ...parametersOf(query, 'query'),
      ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: jsonSchemaOf(body) },
          ...(formFile !== undefined && { 'multipart/form-data': { schema: formSchema(formFile) } }),
        },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: headersOf(String(success.status), idempotent),
        content: { 'application/json': { schema: jsonSchemaOf(success.schema) } },
      },
      ...Object.fromEntries(
        refusalsOf(operation).map((status) => [status, refusalResponse(status, idempotent)]),
      ),
    },
  };
}

const formSchema = (description: string) => ({
  type: 'object',
  properties: { file: { type: 'string', format: 'binary', description } },
  required: ['file'],
  additionalProperties: false,
});

const refusalsOf = ({ scope, refusals }: Operation): string[] => [
  ...new Set([400, 401, ...(scope === 'none' ? [] : [403]), ...refusals, 429].map(String).sort()),
  '5XX',
];

function parametersOf(schema: v.GenericSchema | undefined, place: 'path' | 'query'): object[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as JsonSchema;
    return { name, in: place, required: required.includes(name), description, schema: rest };
  });
}

/** Leaves out what says nothing: an empty list of required fields, an upper limit that is only a number type's. */
function tidy<T>(document: T): T {
  return JSON.parse(
    JSON.stringify(document, (key, value: unknown) => {
      const isEmptyList =
        (key === 'required' || key === 'parameters') && Array.isArray(value) && value.length === 0;
      const saysNothing = key === 'propertyNames' || (key === 'maximum' && value === Number.MAX_SAFE_INTEGER);
      return isEmptyList || saysNothing ? undefined : value;
    }),
  );
}
