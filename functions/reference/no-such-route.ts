import { API_PREFIX, type HttpRequest } from '../shared/http/http-request.ts';
import { RequestError } from '../shared/request-error.ts';

/** The methods of each path below the version prefix, as OpenAPI writes them: `{"/posts/{id}": {"get": …}}`. */
export type Paths = Readonly<Record<string, object>>;

/** More of a path tells nobody more. */
const SHOWN_CHARACTERS = 200;

/**
 * The refusal of a request no route is made for: it says what its path takes where only the method is wrong, or
 * which path was probably meant. It is 404 either way, as API Gateway's own would be: the interface has no 405.
 */
export function noSuchRoute({ method, sentPath }: HttpRequest, paths: Paths): RequestError {
  const isPrefixed = sentPath.startsWith(`${API_PREFIX}/`);
  const path = isPrefixed ? sentPath.slice(API_PREFIX.length) : sentPath;
  const allow = isPrefixed ? methodsOf(path, paths).join(', ') : '';
  const tidy = `/${path.split('/').filter(Boolean).join('/')}`;
  const isMeant = allow === '' && methodsOf(tidy, paths).length > 0;
  const hint = [
    ...(allow === '' ? [] : [`this path takes ${allow}`]),
    ...(isMeant ? [`is it ${API_PREFIX}${tidy}?`] : []),
    `GET ${API_PREFIX}/openapi.json lists all endpoints`,
  ];
  return new RequestError(
    'not_found',
    [`there is no ${method} ${sentPath.slice(0, SHOWN_CHARACTERS)}`, ...hint].join('; '),
    { headers: allow === '' ? {} : { allow } },
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
