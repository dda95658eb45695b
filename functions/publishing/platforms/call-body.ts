import { randomBytes } from 'node:crypto';
import { stringify } from 'lossless-json';
import type { OutboundBody } from '../../shared/outbound/send-body.ts';

/** Fields of a query or a form; those undefined are left out. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a call to a platform carries. */
export type CallBody =
  | { readonly form: Fields }
  | { readonly json: unknown }
  | { readonly bytes: OutboundBody; readonly contentType: string }
  /** multipart/form-data with one file. */
  | {
      readonly parts: Fields;
      readonly file: { readonly name: string; readonly filename: string; readonly content: OutboundBody };
    };

/** A body as it goes over the wire. */
interface WireBody {
  readonly contentType: string;
  readonly body: OutboundBody;
}

/** Encodes a body. A file is streamed, never held in memory whole. */
export function wireBody(body: CallBody): WireBody {
  if ('form' in body) return inMemory('application/x-www-form-urlencoded', encoded(body.form).toString());
  if ('json' in body) return inMemory('application/json; charset=UTF-8', stringify(body.json) ?? '');
  if ('bytes' in body) return { contentType: body.contentType, body: body.bytes };
  return multipart(body.parts, body.file);
}

/** Fields as a query or a form carries them. */
export function encoded(fields: Fields): URLSearchParams {
  return new URLSearchParams(present(fields));
}

const present = (fields: Fields): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));

function inMemory(contentType: string, text: string): WireBody {
  const bytes = Buffer.from(text);
  return {
    contentType,
    body: {
      size: bytes.length,
      open: async function* () {
        yield bytes;
      },
    },
  };
}

function multipart(fields: Fields, file: Extract<CallBody, { parts: Fields }>['file']): WireBody {
  const boundary = randomBytes(24).toString('base64url');
  const parts = present(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const fileHead = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${file.name}"; filename="${file.filename}"`,
    'Content-Type: application/octet-stream',
    '\r\n',
  ].join('\r\n');
  const head = Buffer.from(parts.join('') + fileHead);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      size: head.length + file.content.size + tail.length,
      open: async function* () {
        yield head;
        yield* file.content.open();
        yield tail;
      },
    },
  };
}
