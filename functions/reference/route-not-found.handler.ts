import openapi from '../../openapi.json' with { type: 'json' };
import { httpHandler } from '../shared/http/http-handler.ts';
import { noSuchRoute } from './no-such-route.ts';

/** What the API says about itself is not in the document. */
const paths = { ...openapi.paths, '/openapi.json': { get: {} }, '/docs': { get: {} } };

/** Answers every path and method no route is made for. */
export const handler = httpHandler(async (request) => {
  throw noSuchRoute(request, paths);
});
