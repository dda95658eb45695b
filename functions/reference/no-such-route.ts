import { API_PREFIX, type HttpRequest } from '../shared/http/http-request.ts';
import { RequestError } from '../shared/request-error.ts';

/** The methods of each path below the version prefix, as OpenAPI writes them: `{"/posts/{id}": {"get": …}}`. */
export type Paths = Readonly<Record<string, object>>;

/** More of a path tells nobody more. */
const SHOWN_CHARACTERS = 200;

/**
 * The refusal of a request no route is made for: 405 where its path has other methods, 404 where there is no such
 * path, with the path that was probably meant.
 */
export function noSuchRoute({ method, sentPath }: HttpRequest, paths: Paths): RequestError {
  const isPrefixed = sentPath.startsWith(`${API_PREFIX}/`);
  const path = isPrefixed ? sentPath.slice(API_PREFIX.length) : sentPath;
  const asked = sentPath.slice(0, SHOWN_CHARACTERS);
  const allowed = isPrefixed ? methodsOf(path, paths).join(', ') : '';
  if (allowed !== '') {
    return new RequestError('method_not_allowed', `${asked} has no ${method}; it takes ${allowed}`, {
      headers: { allow: allowed },
    });
  }
  const tidy = `/${path.split('/').filter(Boolean).join('/')}`;
  const meant = methodsOf(tidy, paths).length > 0 ? `is it ${API_PREFIX}${tidy}? ` : '';
  return new RequestError(
    'not_found',
    `there is no ${method} ${asked}; ${meant}GET ${API_PREFIX}/openapi.json lists all endpoints`,
  );
}

/** What can be done at a path; nothing if there is no such path. */
function methodsOf(path: string, paths: Paths): string[] {
  const segments = path.split('/');
  const fits = (template: string): boolean => {
    const expected = template.split('/');
    return (
      expected.length === segments.length &&
      expected.every((each, index) =>
        each.startsWith('{') ? segments[index] !== '' : each === segments[index],
      )
    );
  };
  return Object.entries(paths)
    .filter(([template]) => fits(template))
    .flatMap(([, methods]) => Object.keys(methods).map((method) => method.toUpperCase()));
}
