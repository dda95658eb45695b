import fc from 'fast-check';
import { arbitraryForm } from './arbitrary-form.ts';
import { type Described, document, type JsonSchema, type Parameter } from './contract.ts';

/** A request as a fuzzer makes it: at first as the document says, then changed. */
export interface FuzzedRequest {
  readonly name: string;
  readonly path: string;
  readonly body: string | Uint8Array | undefined;
  readonly idempotencyKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Ids that lead somewhere, by the property that holds such, so that not every request ends at the first look. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

const NASTY = [
  '',
  ' ',
  '\0',
  '\ud83d',
  '😀'.repeat(5001),
  '__proto__',
  'x'.repeat(100_000),
  '%',
  '#',
  '../..',
  'null',
];
const MOMENTS = [
  '2030-01-01T00:00:00Z',
  '2030-02-30T00:00:00Z',
  '2030-01-01',
  '1969-12-31T23:59:60Z',
  '+010000-01-01T00:00:00Z',
];

/** No address here is public, so none is ever dialled or looked up. */
const httpsUrl = fc.constantFrom(
  'https://192.0.2.1/a.png',
  'https://127.0.0.1:1/',
  'https://[::1]/a',
  'ftp://192.0.2.1/',
);

/** Some arbitraries take long to make, so they are made once. */
const made = new WeakMap<JsonSchema, fc.Arbitrary<unknown>>();

const soon = fc
  .integer({ min: -86_400, max: 400 * 86_400 })
  .map((s) => new Date(Date.now() + s * 1000).toISOString());

/** Values of a schema of the document; where it only says "text" or "id", mostly ones that mean something. */
function valueOfSchema(schema: JsonSchema, ids: KnownIds): fc.Arbitrary<unknown> {
  const arbitrary = made.get(schema) ?? valueOfNewSchema(schema, ids);
  made.set(schema, arbitrary);
  return arbitrary;
}

function valueOfNewSchema(schema: JsonSchema, ids: KnownIds): fc.Arbitrary<unknown> {
  if (schema.$ref) return valueOfSchema(named(schema.$ref), ids);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valueOfSchema(each, ids)));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, ids);
    case 'array':
      return fc.uniqueArray(valueOfSchema(schema.items ?? {}, ids), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 6),
        selector: (item) => (schema.uniqueItems ? JSON.stringify(item) : {}),
      });
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 1000 });
    case 'boolean':
      return fc.boolean();
    default:
      return textOf(schema, ids);
  }
}

/** With a few of its optional properties: with all of them nothing would ever be accepted. */
function objectOf(schema: JsonSchema, ids: KnownIds): fc.Arbitrary<object> {
  const { properties = {}, required = [], minProperties = 0, maxProperties = 100 } = schema;
  const optional = Object.keys(properties).filter((key) => !required.includes(key));
  const least = Math.max(0, minProperties - required.length);
  const most = Math.min(2, maxProperties - required.length, optional.length);
  return fc
    .shuffledSubarray(optional, { minLength: least, maxLength: most })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          [...required, ...chosen].map((key) => [
            key,
            valueOfSchema(properties[key] ?? {}, ids[key] ? { [key]: ids[key] } : ids),
          ]),
        ),
      ),
    );
}

function textOf({ format, minLength = 0, maxLength = 20 }: JsonSchema, ids: KnownIds): fc.Arbitrary<string> {
  if (format === 'uuid')
    return fc.oneof({ arbitrary: fc.constantFrom(...Object.values(ids).flat()), weight: 20 }, fc.uuid());
  if (format === 'date-time') return fc.oneof(soon, fc.constantFrom(...MOMENTS));
  if (format === 'uri') return httpsUrl;
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) });
}

function named(reference: string): JsonSchema {
  return reference
    .split('/')
    .slice(1)
    .reduce<JsonSchema>((at, key) => (at as Record<string, JsonSchema>)[key] ?? {}, document as JsonSchema);
}

const anything = fc.oneof(
  fc.constantFrom(...NASTY, ...MOMENTS, null, 0, -1, 1e300, true, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A value with something changed anywhere in it. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  const isTree = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isTree) return anything;
  return fc.constantFrom(...Object.keys(value)).chain((key) => {
    const inside = (value as Record<string, unknown>)[key];
    const changes: fc.Arbitrary<unknown>[] = [
      mutated(inside).map((changed) => replaced(value, key, changed)),
      fc.constant(replaced(value, key, undefined)),
      fc
        .tuple(fc.constantFrom(...NASTY, 'colour'), anything)
        .map(([name, each]) => replaced(value, name, each)),
      fc.constant([value]),
      anything,
    ];
    return fc.oneof({ arbitrary: changes[0] ?? anything, weight: 6 }, ...changes.slice(1));
  });
}

function replaced(tree: object, key: string, value: unknown): unknown {
  if (!Array.isArray(tree)) return { ...tree, [key]: value };
  return tree.map((each, index) => (String(index) === key ? value : each));
}

/** Requests for this operation. */
export function requestsFor(name: string, described: Described, ids: KnownIds): fc.Arbitrary<FuzzedRequest> {
  const [method = '', template = ''] = name.split(' ');
  const schema = described.requestBody?.content['application/json']?.schema;
  const valid = schema ? valueOfSchema(schema, ids) : fc.constant(undefined);
  const body = schema
    ? fc
        .oneof(
          { arbitrary: valid, weight: 8 },
          { arbitrary: valid.chain(mutated), weight: 8 },
          { arbitrary: valid.chain(mutated).chain(mutated), weight: 3 },
          anything,
        )
        .map((value) => JSON.stringify(value) ?? '')
    : fc.constant(undefined);
  const broken = fc.tuple(body, fc.nat(200)).map(([text, at]) => text?.slice(0, -1 - at));
  return fc.record({
    name: fc.constant(name),
    path: fc
      .tuple(pathOf(method, template, ids), queryOf(described.parameters ?? [], ids))
      .map((parts) => parts.join('')),
    body: fc.oneof({ arbitrary: body, weight: 15 }, { arbitrary: broken, weight: 1 }),
    idempotencyKey: fc.oneof(
      { arbitrary: fc.uuid(), weight: 10 },
      fc.constantFrom('same-key-always', null),
      fc.stringMatching(/^[\x21-\x7e\xa1-\xff]{1,210}$/),
    ),
    headers: fc.oneof(
      { arbitrary: fc.constant({}), weight: 20 },
      fc.stringMatching(/^[\x20-\x7e]{0,40}$/).map((type) => ({ 'content-type': type })),
      fc
        .constantFrom('gzip', 'identity', 'br, gzip', '')
        .map((encoding) => ({ 'content-encoding': encoding })),
    ),
  });
}

/** Requests for POST /media that carry the file themselves. */
export const formRequests: fc.Arbitrary<FuzzedRequest> = fc
  .tuple(arbitraryForm, fc.uuid(), fc.constantFrom('/media', '/media', '/media?kind=image'))
  .map(([{ contentType, body }, idempotencyKey, path]) => ({
    ...{ name: 'POST /media', path, body, idempotencyKey },
    headers: { 'content-type': contentType },
  }));

function pathOf(method: string, template: string, ids: KnownIds): fc.Arbitrary<string> {
  const known = template.startsWith('/media') ? ids.media : ids.posts;
  const id = fc.oneof(
    // What is deleted is there for no other request.
    { arbitrary: fc.constantFrom(...(known ?? [])), weight: method === 'DELETE' ? 1 : 12 },
    { arbitrary: fc.uuid(), weight: 3 },
    fc
      .string({ minLength: 1, maxLength: 60 })
      .filter((text) => !/^\.{1,2}$/.test(text) && text.isWellFormed()),
  );
  return template.includes('{')
    ? id.map((each) => template.replace(/\{\w+\}/, encodeURIComponent(each)))
    : fc.constant(template);
}

function queryOf(parameters: readonly Parameter[], ids: KnownIds): fc.Arbitrary<string> {
  const known = parameters.filter((each) => each.in === 'query');
  const value = (schema: JsonSchema) =>
    fc.oneof(
      { arbitrary: valueOfSchema(schema, ids).map(String), weight: 6 },
      fc.constantFrom(...NASTY.filter((text) => text.isWellFormed() && text.length < 1000)),
      fc.string(),
    );
  // A cursor that was made up is refused before anything else, and page after page of nonsense shows nothing.
  const rarely = (name: string) => fc.nat(name === 'cursor' ? 15 : 3).map((chance) => chance === 0);
  const sent = known.map(({ name = '', schema = {} }) =>
    fc.tuple(rarely(name), value(schema)).map(([isSent, text]) => (isSent ? [[name, text]] : [])),
  );
  // One that is not there, or a second time.
  const stray = fc.constantFrom('stauts', '', '__proto__', ...known.map(({ name = '' }) => name));
  const extra = fc.tuple(fc.nat(15), stray).map(([chance, name]) => (chance === 0 ? [[name, 'draft']] : []));
  return fc
    .tuple(...sent, extra)
    .map((pairs) => `?${new URLSearchParams(pairs.flat() as [string, string][])}`);
}
