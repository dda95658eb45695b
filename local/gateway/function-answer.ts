import type { ServerResponse } from 'node:http';
import * as v from 'valibot';

const Structured = v.object({
  statusCode: v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.integer(), v.minValue(100)),
  headers: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
  cookies: v.optional(v.array(v.string()), []),
  body: v.optional(v.nullable(v.string()), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
});
type Structured = v.InferOutput<typeof Structured>;

/** Headers an HTTP API keeps to itself: it frames the message, not the function. */
const FRAMING = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

/**
 * Sends what a function returned (JSON text) as an HTTP API does: an object with a `statusCode` as it
 * says, anything else as the body of a 200.
 *
 * @returns false, with nothing sent, where the function returned something no gateway understands
 */
export function sendFunctionAnswer(payload: string, response: ServerResponse, requestId: string): boolean {
  const returned: unknown = JSON.parse(payload);
  const read = v.safeParse(Structured, isStructured(returned) ? returned : inferred(returned));
  if (!read.success) return false;
  const { statusCode, headers, cookies, body, isBase64Encoded } = read.output;
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  response.statusCode = statusCode;
  response.setHeader('content-type', 'text/plain;charset=UTF-8');
  for (const [name, value] of Object.entries(headers)) {
    if (!FRAMING.has(name.toLowerCase())) response.setHeader(name, String(value));
  }
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.setHeader('apigw-requestid', requestId);
  const hasNoBody = statusCode === 204 || statusCode === 304;
  if (!hasNoBody) response.setHeader('content-length', bytes.length);
  response.end(hasNoBody ? undefined : bytes);
  return true;
}

function isStructured(returned: unknown): boolean {
  return typeof returned === 'object' && returned !== null && 'statusCode' in returned;
}

function inferred(returned: unknown): Pick<Structured, 'statusCode' | 'headers' | 'body'> {
  const body = typeof returned === 'string' ? returned : JSON.stringify(returned);
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
}
