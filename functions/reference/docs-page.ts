import { createHash } from 'node:crypto';

/** The files of Swagger UI, as text. */
export interface Viewer {
  readonly script: string;
  readonly style: string;
}

/** `openapi.json` lies beside the page, whatever host and prefix both are reached by. */
const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelRendering: 'model',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  validatorUrl: null,
});`;

/** Room to read, and nothing that only makes noise: one server, one kind of key. */
const STYLE = `body { margin: 0; }
.swagger-ui .wrapper { max-width: 1100px; }
.swagger-ui .info { margin: 30px 0 10px; }
.swagger-ui .info p, .swagger-ui .info li { max-width: 46em; line-height: 1.5; }`;

const hashOf = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/**
 * The readable form of openapi.json, in one page that loads nothing from elsewhere: it may run the two
 * scripts it came with and call its own origin, and nothing more. Swagger UI sets styles on elements, and
 * its icons are data URLs.
 */
export function docsPage({ script, style }: Viewer): { html: string; policy: string } {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Social post publishing API</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<style>${STYLE}</style>
</head>
<body>
<div id="api"><noscript>This page needs JavaScript. The same as data: <a href="openapi.json">openapi.json</a></noscript></div>
<script>${script}</script>
<script>${START}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)} ${hashOf(START)}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}
