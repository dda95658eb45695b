import type { RouteModel } from '../service-model.ts';

/** A route that answers a request, with what its path parameters stand for. */
export interface RouteMatch {
  readonly route: RouteModel;
  /** As API Gateway names it to the function: `GET /api/v1/posts/{id}`, `$default`. */
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** Finds the route for a method and a path as it stands in the request line, without its query. */
export type RouteTable = (method: string, path: string) => RouteMatch | undefined;

interface Candidate {
  readonly route: RouteModel;
  readonly segments: readonly string[];
}

/**
 * Matches as an HTTP API does: a full match before one with variables, before a greedy one, before
 * `$default`; a route of this method before one of any method.
 */
export function routeTable(routes: readonly RouteModel[]): RouteTable {
  const fallback = routes.find(({ path }) => path === '$default');
  const candidates = routes
    .filter((route) => route !== fallback)
    .map((route): Candidate => ({ route, segments: route.path.split('/') }))
    .sort((a, b) => weight(b) - weight(a));
  return (method, path) => {
    const segments = path.split('/');
    for (const { route, segments: pattern } of candidates) {
      if (route.method !== method && route.method !== 'ANY') continue;
      const pathParameters = parametersOf(pattern, segments);
      if (pathParameters) return { route, routeKey: `${route.method} ${route.path}`, pathParameters };
    }
    return fallback && { route: fallback, routeKey: '$default', pathParameters: {} };
  };
}

/** More literal segments first; greedy ones last. */
function weight({ route, segments }: Candidate): number {
  const literals = segments.filter((segment) => !segment.startsWith('{')).length;
  const isGreedy = segments.some((segment) => segment.endsWith('+}'));
  return (isGreedy ? 0 : 1000) + literals * 2 + (route.method === 'ANY' ? 0 : 1);
}

function parametersOf(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index];
    if (actual === undefined) return undefined;
    if (expected.endsWith('+}')) {
      parameters[expected.slice(1, -2)] = decoded(segments.slice(index).join('/'));
      return parameters;
    }
    if (!expected.startsWith('{')) {
      if (expected !== actual) return undefined;
    } else if (actual === '') return undefined;
    else parameters[expected.slice(1, -1)] = decoded(actual);
  }
  return segments.length === pattern.length ? parameters : undefined;
}

/** Percent-decoded, or as it is where the encoding is malformed: what it names is then simply not found. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}
