import openapi from '../../openapi.json' with { type: 'json' };
import { httpHandler } from '../shared/http/http-handler.ts';
import { documentReply, prepared } from './document-reply.ts';

const document = prepared(JSON.stringify(openapi));

export const handler = httpHandler(async (request) =>
  documentReply(document, request, {
    'content-type': 'application/json; charset=utf-8',
    // Tools that generate clients in a browser read it from other origins.
    'access-control-allow-origin': '*',
  }),
);
