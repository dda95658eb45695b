import { createServer } from 'node:http';
import * as v from 'valibot';
import { EnvText } from '../functions/shared/env.ts';
import { readEnv } from '../functions/shared/read-env.ts';
import { uploadHandler } from './upload-handler.ts';

/** The upload gateway in its container: one server, one path, and a path by which the load balancer sees it lives. */
const env = readEnv(v.object({ API_URL: EnvText, PORT: v.optional(EnvText, '8080') }));
const handler = uploadHandler({ apiUrl: env.API_URL });

const server = createServer({ requestTimeout: 120_000, headersTimeout: 20_000 }, (request, response) => {
  if (request.url === '/health') {
    response.writeHead(200).end('ok');
    return;
  }
  handler(request, response).catch((error: unknown) => {
    console.error(JSON.stringify({ level: 'ERROR', message: 'upload failed', error: String(error) }));
    if (response.headersSent) response.destroy();
    else response.writeHead(503, { 'content-type': 'application/json; charset=utf-8' }).end(UNAVAILABLE);
  });
});
server.listen(Number(env.PORT));
process.on('SIGTERM', () => server.close(() => process.exit(0)));

const UNAVAILABLE = JSON.stringify({
  error: {
    code: 'unavailable',
    message: 'the form could not be taken; send it again with the same Idempotency-Key',
  },
});
