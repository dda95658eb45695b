import { gzipSync } from 'node:zlib';
import type { HttpReply } from '../shared/http/http-handler.ts';
import type { HttpRequest } from '../shared/http/http-request.ts';

/** A text that never changes while its function lives, also in the form it is mostly sent. */
interface Document {
  readonly text: string;
  /** Base64 of its gzip form. */
  readonly gzipped: string;
}

/** Prepares a text, once at the cold start. */
export const prepared = (text: string): Document => ({ text, gzipped: gzipSync(text).toString('base64') });

/** Long enough that reading on costs nothing, short enough that a deployment is seen soon. */
const CACHED_SECONDS = 300;

/** Answers with the document; compressed for all who take that, since an HTTP API does not compress. */
export function documentReply(
  { text, gzipped }: Document,
  request: Pick<HttpRequest, 'header'>,
  headers: Readonly<Record<string, string>>,
): HttpReply {
  const isCompressed = /\bgzip\b/.test(request.header('accept-encoding') ?? '');
  return {
    status: 200,
    body: isCompressed ? gzipped : text,
    isBase64Encoded: isCompressed,
    headers: {
      ...headers,
      'cache-control': `public, max-age=${CACHED_SECONDS}`,
      vary: 'accept-encoding',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
  };
}
