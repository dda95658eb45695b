import type { IncomingMessage } from 'node:http';
import type { BucketModel } from '../../service-model.ts';
import { matches } from '../iam/match.ts';
import { listOf, textOf } from '../json.ts';

/** The headers that let a browser use the bucket from the request's origin; undefined when no rule does. */
export function corsHeaders(
  bucket: BucketModel | undefined,
  { method, headers }: IncomingMessage,
): Readonly<Record<string, string>> | undefined {
  const { origin } = headers;
  if (origin === undefined) return undefined;
  const asked =
    method === 'OPTIONS' ? String(headers['access-control-request-method'] ?? '') : String(method);
  const wanted = String(headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const rule = bucket?.corsRules.find(
    ({ AllowedOrigins, AllowedMethods, AllowedHeaders }) =>
      listOf(AllowedOrigins).some((pattern) => matches(textOf(pattern), origin)) &&
      listOf(AllowedMethods).includes(asked) &&
      wanted.every((name) =>
        listOf(AllowedHeaders).some((pattern) => matches(textOf(pattern).toLowerCase(), name.toLowerCase())),
      ),
  );
  if (rule === undefined) return undefined;
  return {
    'access-control-allow-origin': listOf(rule.AllowedOrigins).includes('*') ? '*' : origin,
    'access-control-allow-methods': listOf(rule.AllowedMethods).join(', '),
    'access-control-allow-headers': wanted.join(', '),
    'access-control-expose-headers': listOf(rule.ExposedHeaders).join(', '),
    'access-control-max-age': String(rule.MaxAge ?? 0),
    vary: 'Origin',
  };
}
