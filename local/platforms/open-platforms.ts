import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { scriptHandler } from '../answer-script.ts';
import type { RequestHandler } from '../gateway/api.ts';
import { answerError } from '../gateway/error-answer.ts';
import { splitTarget } from '../gateway/http-event.ts';
import { readBody } from '../gateway/read-body.ts';
import { readJson, writeJson } from '../state-directory.ts';
import type { FakeAnswer, FakePlatform, FakeRequest, ShownPost } from './fake-platform.ts';
import { fakePlatforms } from './fake-platforms.ts';
import { Misbehaviour, misbehaviours } from './misbehaviour.ts';
import { platformsPage } from './platforms-page.ts';
import { smallPicture } from './small-picture.ts';

/** An upload chunk, a whole thumbnail: more than any call of ours carries. */
const REQUEST_LIMIT_BYTES = 80 * 1024 * 1024;

const PROCESSING_MS = 1500;

/**
 * Fake platforms below one path: `/platforms/<name>/...` is a platform's API, `GET /platforms` a page of what
 * was published, `GET /platforms/posts` the same as JSON, `POST /platforms/behaviour` makes them misbehave,
 * `DELETE /platforms/posts` ends what is left of a script and forgets what was published.
 */
export function openPlatforms(options: {
  /** Their own address, without a slash at the end. */
  readonly url: string;
  /** Where what they know is kept. */
  readonly file: string;
}): RequestHandler {
  const { pathname, origin } = new URL(options.url);
  const kept = v.safeParse(v.record(v.string(), v.looseObject({})), readJson(options.file));
  const start = (states: Readonly<Record<string, object>>) =>
    fakePlatforms(
      {
        ...{ url: options.url, clock: Date.now, processingMs: PROCESSING_MS },
        ...{ fetchFile: fileOf(origin), pictureOf: smallPicture },
      },
      states,
    );
  let platforms = start(kept.success ? kept.output : {});
  const script = misbehaviours();
  const posts = (): ShownPost[] =>
    platforms.flatMap((each) => each.posts()).sort((a, b) => a.published_at.localeCompare(b.published_at));
  const keep = () =>
    writeJson(options.file, Object.fromEntries(platforms.map(({ name, state }) => [name, state])));

  const control: Record<string, RequestHandler> = {
    'GET ': async (_, response) => sendPage(response, platformsPage(posts())),
    'GET /': async (_, response) => sendPage(response, platformsPage(posts())),
    'GET /posts': async (_, response) => send(response, { status: 200, body: posts() }),
    'DELETE /posts': async (_, response) => {
      platforms = start({});
      script.play([]);
      keep();
      send(response, { status: 204 });
    },
    'POST /behaviour': scriptHandler(Misbehaviour, script.play),
  };

  return async (request, response) => {
    const [path, query] = splitTarget(request.url ?? '/');
    const below = path.slice(pathname.length);
    const controlled = control[`${request.method} ${below}`];
    if (controlled) return controlled(request, response);
    const [, name = '', ...rest] = below.split('/');
    const platform = platforms.find((each) => each.name === name);
    if (!platform) return answerError(response, 'not_found', `there is no fake platform at ${path}`);
    const asked = await requestOf(request, { path: `/${rest.join('/')}`, query });
    if (!asked) return;
    const misbehaviour = script.next(name, asked.method, asked.path);
    const answer = await answerOf(platform, asked, misbehaviour);
    if (asked.method !== 'GET') keep();
    if (misbehaviour && misbehaviour.delay_ms > 0) await sleep(misbehaviour.delay_ms);
    respond(response, answer, misbehaviour);
  };
}

async function requestOf(
  request: IncomingMessage,
  { path, query }: { path: string; query: string },
): Promise<FakeRequest | undefined> {
  const body = await readBody(request, REQUEST_LIMIT_BYTES);
  if (!Buffer.isBuffer(body)) return undefined;
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers: Object.fromEntries(headers),
    body,
  };
}

async function answerOf(
  platform: FakePlatform,
  request: FakeRequest,
  misbehaviour: Misbehaviour | undefined,
): Promise<FakeAnswer> {
  if (misbehaviour?.when === 'before' && misbehaviour.act !== 'none') return { status: misbehaviour.status };
  return platform.handle(request);
}

function respond(response: ServerResponse, answer: FakeAnswer, misbehaviour: Misbehaviour | undefined): void {
  if (misbehaviour?.act === 'silence') return;
  if (misbehaviour?.act === 'reset') {
    response.writeHead(answer.status, { 'content-length': 1000 });
    response.write('{"id":"');
    setImmediate(() => response.destroy());
    return;
  }
  send(response, wrongly(answer, misbehaviour));
}

function wrongly(answer: FakeAnswer, misbehaviour: Misbehaviour | undefined): FakeAnswer {
  switch (misbehaviour?.act) {
    case 'answer': {
      const { status, headers, body } = misbehaviour;
      return { status, headers, body };
    }
    case 'garbage':
      return { status: 200, body: '<html>a page from somewhere else' };
    default:
      return answer;
  }
}

function send(response: ServerResponse, { status, headers = {}, body }: FakeAnswer): void {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(text);
}

function sendPage(response: ServerResponse, page: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
    'x-content-type-options': 'nosniff',
  });
  response.end(page);
}

/** Looks at a file as a platform that fetches it would; this machine's own alone, whatever is asked for. */
function fileOf(origin: string) {
  return async (url: string): Promise<{ type: string; bytes: number } | undefined> => {
    if (!url.startsWith(`${origin}/`)) return undefined;
    const response = await fetch(url, { method: 'HEAD' });
    if (!response.ok) return undefined;
    const type = response.headers.get('content-type') ?? '';
    return { type, bytes: Number(response.headers.get('content-length') ?? 0) };
  };
}
