import type { OutboundBody } from '../../../shared/outbound/send-body.ts';

/** One media file of a delivery, opened anew for each pass over the body. `size` is in bytes and must be exact. */
export interface DeliveryMedia extends OutboundBody {
  readonly filename: string;
  readonly contentType: string;
}

/** What the `meta` part says about the post. `scheduledAt` is ISO 8601. */
export interface DeliveryMeta {
  readonly jobId: string;
  readonly caption: string;
  readonly scheduledAt: string;
}

/** Everything the bytes of a delivery depend on; stored once, so that every attempt sends the same bytes. */
export interface DeliveryContent {
  /** Random, unpredictable to whoever wrote the caption or the files. */
  readonly boundary: string;
  readonly meta: DeliveryMeta;
  readonly media: readonly DeliveryMedia[];
}

/** A delivery's multipart body, never held in memory whole. */
export interface DeliveryBody extends OutboundBody {
  readonly contentType: string;
}

/** What RFC 2046 allows unquoted, and long enough that no content contains it by chance. */
const BOUNDARY = /^[0-9A-Za-z_-]{16,70}$/;

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/**
 * The body of a delivery: a `meta` part of JSON, then `media[0]`, `media[1]`, ... with the raw bytes.
 *
 * Written here rather than by form-data-encoder: that one gives `meta` no content type, ends with an empty
 * line some parsers refuse, and yields wrong bytes for chunks above 64 KiB that are views into larger buffers.
 *
 * @throws {Error} while it is read, when a file does not yield exactly its size.
 */
export function deliveryBody({ boundary, meta, media }: DeliveryContent): DeliveryBody {
  if (!BOUNDARY.test(boundary)) throw new Error('a boundary must be 16 to 70 letters, digits, - or _');
  const metaBytes = Buffer.from(JSON.stringify(metaOf(meta, media)));
  const metaHead = partHead(boundary, { name: 'meta', contentType: 'application/json' });
  const heads = media.map((file, index) => partHead(boundary, { name: `media[${index}]`, ...file }));
  const end = Buffer.from(`--${boundary}--\r\n`);

  const framing = [metaHead, metaBytes, CRLF, ...heads.flatMap((head) => [head, CRLF]), end];
  const size = [...framing.map((bytes) => bytes.byteLength), ...media.map((file) => file.size)];

  async function* open(): AsyncGenerator<Uint8Array> {
    yield Buffer.concat([metaHead, metaBytes, CRLF]);
    for (const [index, file] of media.entries()) {
      yield heads[index] ?? CRLF;
      yield* exactly(file, `media[${index}]`);
      yield CRLF;
    }
    yield end;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    size: size.reduce((sum, bytes) => sum + bytes, 0),
    open,
  };
}

const CRLF = Buffer.from('\r\n');

function metaOf({ jobId, caption, scheduledAt }: DeliveryMeta, media: readonly DeliveryMedia[]) {
  const files = media.map(({ filename, contentType, size }) => ({ filename, contentType, size }));
  return { jobId, caption, scheduledAt, media: files };
}

function partHead(boundary: string, part: { name: string; contentType: string; filename?: string }): Buffer {
  const filename = part.filename === undefined ? '' : `; filename="${quotable(part.filename)}"`;
  const type = MEDIA_TYPE.test(part.contentType) ? part.contentType : 'application/octet-stream';
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"${filename}\r\nContent-Type: ${type}\r\n\r\n`,
  );
}

/** As browsers write file names (WHATWG), and backslashes and controls escaped too: parsers disagree about them. */
function quotable(filename: string): string {
  return filename.replace(/["\\\p{Cc}]/gu, (character) => encodeURIComponent(character));
}

async function* exactly(file: DeliveryMedia, name: string): AsyncGenerator<Uint8Array> {
  let yielded = 0;
  for await (const chunk of file.open()) {
    yielded += chunk.byteLength;
    yield chunk;
  }
  if (yielded !== file.size) throw new Error(`${name} yields ${yielded} bytes instead of ${file.size}`);
}
