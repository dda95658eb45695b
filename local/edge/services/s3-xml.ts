import { randomUUID } from 'node:crypto';
import type { Answer } from '../call.ts';

/** An S3 answer in XML. */
export function xmlAnswer(xml: string, status = 200): Answer {
  const requestId = randomUUID();
  return {
    status,
    headers: { 'content-type': 'application/xml', 'x-amz-request-id': requestId },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`,
  };
}

/** Text out of XML, of the entities that escaped it. */
export function unescapeXml(text: string): string {
  const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(?:#(\d+)|(\w+));/g, (entity, code?: string, name?: string) =>
    code === undefined ? (NAMED[name ?? ''] ?? entity) : String.fromCodePoint(Number(code)),
  );
}

/** Text as XML carries it. */
export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
