import { httpHandler } from '../shared/http/http-handler.ts';
import { RequestError } from '../shared/request-error.ts';

/** Answers every path and method no route is made for. */
export const handler = httpHandler(async ({ method, path }) => {
  throw new RequestError(
    'not_found',
    `there is no ${method} ${path.slice(0, 200)}; GET /api/v1/openapi.json lists all endpoints`,
  );
});
