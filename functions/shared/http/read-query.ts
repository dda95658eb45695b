import { shown } from '../issue-text.ts';
import { type Issue, invalidRequest } from './invalid-request.ts';
import type { Operation } from './operation.ts';
import { validated } from './validated.ts';

/**
 * Reads the query of a request. A parameter the operation does not have is refused, and so is one that is sent
 * twice: a misspelt filter that is left out silently would find everything.
 *
 * @throws {RequestError} invalid_request, naming the parameters there are.
 */
export function readQuery(
  { method, path, query }: Pick<Operation, 'method' | 'path' | 'query'>,
  sent: URLSearchParams,
): unknown {
  const known = Object.keys(query?.entries ?? {});
  const unknown = `is not a parameter of ${method} ${path}, which takes ${known.join(', ') || 'none'}; remove it`;
  const issues = [...new Set(sent.keys())].flatMap((name): Issue[] => {
    const times = sent.getAll(name).length;
    const at = `query.${shown(name)}`;
    if (!known.includes(name)) return [{ path: at, message: unknown }];
    return times > 1 ? [{ path: at, message: `is sent ${times} times; send it once` }] : [];
  });
  const [first, ...others] = issues;
  if (first) throw invalidRequest(first, ...others);
  return query && validated(query, Object.fromEntries(sent), 'query');
}
