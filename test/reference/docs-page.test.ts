import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { docsPage } from '../../functions/reference/docs-page.ts';
import { documentReply, prepared } from '../../functions/reference/document-reply.ts';

const { html, policy } = docsPage({ script: 'let SwaggerUIBundle = () => "é";', style: 'p { margin: 0 }' });

describe('the page of the API', () => {
  it('may run the scripts it came with, and nothing else', () => {
    const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script);
    const hashes = scripts.map(
      (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    );

    expect(scripts).toHaveLength(2);
    expect(policy).toContain(`script-src ${hashes.join(' ')};`);
    expect(policy).toContain("default-src 'none'");
  });

  it('loads nothing from another host', () => {
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  });
});

describe('a document', () => {
  const asked = (encoding: string | undefined) =>
    documentReply(prepared('größer'), { header: () => encoding }, { 'content-type': 'text/plain' });

  it('is compressed for those who say they take that', () => {
    const reply = asked('br, gzip');

    expect(gunzipSync(Buffer.from(reply.body, 'base64')).toString()).toBe('größer');
    expect(reply).toMatchObject({
      status: 200,
      isBase64Encoded: true,
      headers: { 'content-encoding': 'gzip' },
    });
  });

  it('is plain text for all others', () => {
    expect(asked(undefined)).toMatchObject({ body: 'größer', isBase64Encoded: false });
    expect(asked(undefined).headers).not.toHaveProperty('content-encoding');
  });
});
