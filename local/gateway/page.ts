import type { RequestHandler } from './api.ts';
import { answerError } from './error-answer.ts';

/** What the page at `/` tells a person. */
export interface PageFacts {
  readonly urls: {
    readonly base_url: string;
    readonly media_url: string;
    readonly inbox_url: string;
    readonly platforms_url: string;
  };
  readonly logs: string;
  readonly serviceFile: string;
}

/**
 * A page that says what runs here and where everything is; it shows no key. Any other path that nobody else
 * answers is a 404, so that a client with a wrong base URL learns of it.
 */
export function pageHandler(facts: PageFacts): RequestHandler {
  const page = Buffer.from(htmlOf(facts));
  return async (request, response) => {
    const isPage = request.url === '/' && (request.method === 'GET' || request.method === 'HEAD');
    if (!isPage) {
      const base = facts.urls.base_url;
      answerError(response, 'not_found', `nothing answers ${request.method} here; the API is at ${base}`);
      return;
    }
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': page.length,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
    });
    response.end(page);
  };
}

function htmlOf({ urls, logs, serviceFile }: PageFacts): string {
  const rows: readonly (readonly [string, string])[] = [
    ['API', link(urls.base_url)],
    ['Reference', link(`${urls.base_url}/docs`)],
    ['OpenAPI', link(`${urls.base_url}/openapi.json`)],
    ['Webhook inbox: deliveries', link(`${urls.inbox_url}/deliveries`)],
    ['Fake platforms: what was published', link(urls.platforms_url)],
    ['Media', code(urls.media_url)],
    ['Keys, workspaces, channels', code(serviceFile)],
    ['Logs of the functions', code(logs)],
  ];
  const table = rows.map(([name, where]) => `<tr><th>${name}</th><td>${where}</td></tr>`).join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Social post publishing service</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark }
  th { text-align: left; font-weight: 600; padding: .25rem 2rem .25rem 0; vertical-align: top }
  td { overflow-wrap: anywhere }
</style>
<h1>Social post publishing service</h1>
<p>Running on this machine: compose, schedule and publish posts to social channels and signed webhooks.</p>
<table>
${table}
</table>
`;
}

const link = (url: string): string => `<a href="${escaped(url)}">${escaped(url)}</a>`;

const code = (text: string): string => `<code>${escaped(text)}</code>`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
