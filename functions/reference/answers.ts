import { PLATFORMS } from '../channels/platform.ts';
import { type ErrorCode, STATUS_OF_CODE } from '../shared/request-error.ts';

/** Where a problem is and what it is; of a post also by which rule, for programs to act on. */
const issues = (facts: object = {}) => ({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where: `body.channels.0.id`, `query.status`.' },
      message: { type: 'string' },
      ...facts,
    },
    required: ['path', 'message'],
  },
});

/** What a program can act on, where a post breaks a rule. */
const POST_FACTS = {
  channel_id: { type: 'string', format: 'uuid' },
  platform: { type: 'string', enum: PLATFORMS },
  rule: { type: 'string', description: 'The rule of the platform: `media_count`.' },
  limit: { type: 'number' },
  media_id: { type: 'string', format: 'uuid' },
  accepts: { type: 'array', items: { type: 'string' }, description: 'What is taken instead.' },
  same_as: { type: 'string', description: 'Where the same was named before.' },
};

/** What a status means to a client, and what its `details` hold. */
const REFUSALS: Readonly<Record<string, { description: string; details?: object; example: string }>> = {
  400: {
    description:
      'The request is malformed: nothing was executed, and the same Idempotency-Key may be used for the corrected request. `details.issues` lists each problem with its path.',
    details: { type: 'object', properties: { issues: issues() } },
    example: 'body.channels must name at least one channel',
  },
  401: {
    description: 'The API key is missing, not valid, revoked or expired.',
    example: 'the API key is missing or not valid; send it as "Authorization: Bearer <key>"',
  },
  402: {
    description: 'A limit of the plan is reached. Nothing was executed; the request may be repeated later.',
    details: {
      type: 'object',
      properties: {
        used: { type: 'integer' },
        limit: { type: 'integer' },
        reset_at: {
          type: ['string', 'null'],
          format: 'date-time',
          description:
            'When the limit starts anew. Null for posts waiting for their time: a place comes free whenever one of them goes out or is unscheduled.',
        },
        upgrade_url: { type: 'string', format: 'uri' },
      },
      required: ['used', 'limit', 'reset_at', 'upgrade_url'],
    },
    example: 'the plan allows 30 posts a day (UTC) and all are used',
  },
  403: {
    description: 'The key lacks the scope this endpoint needs.',
    example: 'this key lacks the scope posts:write; use a key that has it',
  },
  404: {
    description: 'There is no such thing in the workspace of this key.',
    example: 'this workspace has no such post; GET /posts lists what it has',
  },
  409: {
    description:
      '`conflict`: what is asked for cannot be done to the resource as it is. `idempotency_conflict`: the Idempotency-Key was used for a different request in the last 24 hours.',
    example: 'this post is scheduled; unschedule it with DELETE, then edit the draft',
  },
  413: {
    description: 'The request is larger than the service takes.',
    example: 'the body has 6000000 bytes; at most 5242880 are taken',
  },
  422: {
    description:
      'The request is well formed but cannot be fulfilled. `details.issues` lists each problem: where a request has, or would have, what it is about, and by which rule. The first of them is told in `message` and in `details` itself.',
    details: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where the first problem is.' },
        ...POST_FACTS,
        issues: issues(POST_FACTS),
      },
      required: ['path', 'issues'],
    },
    example: 'channel 0199… (Instagram) needs image or video media; change the post or leave the channel out',
  },
  429: {
    description: 'Too many requests; wait the seconds of `Retry-After`, then repeat the same request.',
    example: 'this key may make 50 requests a minute; wait 12 s and repeat the request',
  },
  502: {
    description: 'A service behind this one gave nothing usable; the request is safe to repeat.',
    example: 'the caption model returned nothing usable; try again',
  },
  '5XX': {
    description:
      'Something failed on our side. Repeat the request with the same Idempotency-Key: it takes effect at most once.',
    example: 'something failed on our side; repeat the request with the same Idempotency-Key',
  },
};

/** The codes an answer of this status may carry. */
const codesOf = (status: string): ErrorCode[] =>
  (Object.keys(STATUS_OF_CODE) as ErrorCode[]).filter((code) =>
    status === '5XX' ? STATUS_OF_CODE[code] >= 500 : String(STATUS_OF_CODE[code]) === status,
  );

/** Statuses whose errors always have `details`. */
const HAS_DETAILS = new Set(['402', '422']);

const errorSchema = (status: string) => ({
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: codesOf(status), description: 'Stable: programs branch on it.' },
        message: { type: 'string', description: 'For people: what was wrong, where, and what to do.' },
        details: REFUSALS[status]?.details ?? { type: 'object' },
      },
      required: HAS_DETAILS.has(status) ? ['code', 'message', 'details'] : ['code', 'message'],
    },
  },
  required: ['error'],
});

const integer = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

/** The headers of answers, by name. */
export const HEADERS = {
  'X-Request-Id': { description: 'Names this request; tell it to support.', schema: { type: 'string' } },
  'RateLimit-Limit': integer('Requests this key may make in a minute.'),
  'RateLimit-Remaining': integer('Requests left in this minute.'),
  'RateLimit-Reset': integer('Seconds until the next minute begins.'),
  'Retry-After': integer('Seconds to wait before the next attempt.'),
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description:
      'Present, and `true`, when this is the remembered answer to an earlier request with this key.',
    schema: { type: 'string', enum: ['true'] },
  },
} as const;
type HeaderName = keyof typeof HEADERS;

const RATE: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The headers of an answer of this status; refusals that were executed are replayed like successes. */
export function headersOf(status: string, isIdempotent: boolean): Record<string, { $ref: string }> {
  const isReplayable = isIdempotent && ['200', '201', '202', '404', '409', '422'].includes(status);
  const names: HeaderName[] = [
    'X-Request-Id',
    ...(status === '401' ? (['WWW-Authenticate'] as const) : RATE),
    ...(status === '429' ? (['Retry-After'] as const) : []),
    ...(isReplayable ? (['Idempotent-Replayed'] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** An answer in the error envelope. */
export const refusalResponse = (status: string, isIdempotent: boolean) => ({
  description: REFUSALS[status]?.description ?? '',
  headers: headersOf(status, isIdempotent),
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${errorName(status)}` } } },
});

const errorName = (status: string) => `Error${status}`;

/** The envelope of errors, by status. */
export const errorSchemas = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(REFUSALS).map(([status, { example }]) => [
      errorName(status),
      { ...errorSchema(status), examples: [{ error: { code: codesOf(status)[0], message: example } }] },
    ]),
  );
