import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from './api.ts';
import { splitTarget } from './http-event.ts';

/** Whether a request is a form with a file, which goes to the upload gateway. */
export function isUploadForm({ method, url, headers }: IncomingMessage): boolean {
  const type = headers['content-type']?.toLowerCase() ?? '';
  const [path] = splitTarget(url ?? '/');
  return method === 'POST' && path === '/api/v1/media' && type.startsWith('multipart/form-data');
}

/** Sends forms with files one way and all else the other, as the function at CloudFront's edge does. */
export const formsApart =
  ({ api, uploads }: { readonly api: RequestHandler; readonly uploads: RequestHandler }): RequestHandler =>
  (request, response) =>
    (isUploadForm(request) ? uploads : api)(request, response);
