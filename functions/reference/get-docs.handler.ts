import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'text' };
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'text' };
import { httpHandler } from '../shared/http/http-handler.ts';
import { docsPage } from './docs-page.ts';
import { documentReply, prepared } from './document-reply.ts';

const { html, policy } = docsPage({ script, style });
const page = prepared(html);

export const handler = httpHandler(async (request) =>
  documentReply(page, request, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
  }),
);
