import type { IncomingMessage, ServerResponse } from 'node:http';
import { FORM_DIGEST_HEADER } from '../functions/media/form-body.ts';
import { formDigest, readForm } from '../functions/media/form-file.ts';
import { refuseEncoded } from '../functions/shared/http/content-encoding.ts';
import { readQuery } from '../functions/shared/http/read-query.ts';
import { RequestError } from '../functions/shared/request-error.ts';
import { type ApiAnswer, type ApiCaller, apiCaller } from './api-caller.ts';
import { expectedFileBytes } from './expected-file-bytes.ts';
import { MAX_FORM_BYTES, tooLarge } from './form-limit.ts';
import { type Forwarded, forwardFile } from './forward-file.ts';

/** Beyond this a sender is cut off. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;

/** What the gateway answers by itself, and what a media's creator hears from the API. */
const PASSED_ON =
  /^(content-type|cache-control|x-content-type-options|x-request-id|retry-after|www-authenticate|idempotent-replayed|ratelimit-.*)$/;

/**
 * Takes a form with one file: sends its bytes on to storage while they come, through a URL the API signs for
 * the caller, and has the API register them under the caller's own key and Idempotency-Key. It holds no
 * credentials and keeps nothing: whatever it may do, its caller may do.
 */
export function uploadHandler({
  apiUrl,
}: {
  /** Of the API, with its base path and without a slash at the end. */
  readonly apiUrl: string;
}): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const api = apiCaller(apiUrl, request);
    const answer = await take(request, api).catch((error: unknown) => refusal(error, api));
    const body = Buffer.from(answer.body);
    drain(request);
    response.writeHead(answer.status, {
      ...Object.fromEntries(Object.entries(answer.headers).filter(([name]) => PASSED_ON.test(name))),
      'content-length': body.length,
    });
    response.end(body);
  };
}

async function take(request: IncomingMessage, api: ApiCaller): Promise<ApiAnswer> {
  const [, query] = (request.url ?? '').split('?', 2);
  readQuery({ method: 'POST', path: '/media' }, new URLSearchParams(query));
  refuseEncoded(request.headers['content-encoding']);
  const announced = request.headers['content-length'];
  if (Number(announced ?? 0) > MAX_FORM_BYTES) throw tooLarge();
  const contentType = request.headers['content-type'] ?? '';
  const expected = expectedFileBytes(request, contentType);
  const { taken, identity } = await readForm(contentType, request, (file) =>
    forwardFile(file, { api, expected }),
  );
  return register(taken, { [FORM_DIGEST_HEADER]: formDigest(identity) }, api);
}

function register(forwarded: Forwarded, headers: Record<string, string>, api: ApiCaller): Promise<ApiAnswer> {
  if (forwarded.outcome === 'refused') return Promise.resolve(forwarded.answer);
  return api.post('/media', { key: forwarded.key }, headers);
}

/** A caller who may not call learns that before what is wrong with the form. */
async function refusal(error: unknown, api: ApiCaller): Promise<ApiAnswer> {
  if (!(error instanceof RequestError)) throw error;
  const admitted = await api.get('/workspaces');
  if (admitted.status !== 200) return admitted;
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: JSON.stringify(error.envelope),
  };
}

/** What is left of a form that was refused is let through and thrown away, so that its sender gets to read why. */
function drain(request: IncomingMessage): void {
  let left = MAX_DRAINED_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  request.resume();
}
