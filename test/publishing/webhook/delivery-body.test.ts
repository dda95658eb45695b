import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DeliveryMedia,
  deliveryBody,
} from '../../../functions/publishing/platforms/webhook/delivery-body.ts';
import { fileIn, partsOf } from './receiver.ts';

const boundary = 'boundary-0123456789abcdef';
const meta = { jobId: 'job-1', caption: 'hello', scheduledAt: '2026-09-21T14:13:20.000Z' };

function file(filename: string, bytes: Uint8Array, contentType = 'image/png'): DeliveryMedia {
  return {
    filename,
    contentType,
    size: bytes.byteLength,
    open: async function* () {
      yield bytes;
    },
  };
}

async function bytesOf(body: { open(): AsyncIterable<Uint8Array> }): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parse(body: Buffer, contentType: string) {
  return partsOf({ headers: { 'content-type': contentType }, body });
}

describe('deliveryBody', () => {
  it('is these bytes', async () => {
    const body = deliveryBody({ boundary, meta, media: [file('a.png', Buffer.from([0, 255]))] });

    const bytes = await bytesOf(body);

    expect(bytes.toString('latin1')).toBe(
      [
        '--boundary-0123456789abcdef',
        'Content-Disposition: form-data; name="meta"',
        'Content-Type: application/json',
        '',
        '{"jobId":"job-1","caption":"hello","scheduledAt":"2026-09-21T14:13:20.000Z",' +
          '"media":[{"filename":"a.png","contentType":"image/png","size":2}]}',
        '--boundary-0123456789abcdef',
        'Content-Disposition: form-data; name="media[0]"; filename="a.png"',
        'Content-Type: image/png',
        '',
        '\0ÿ',
        '--boundary-0123456789abcdef--',
        '',
      ].join('\r\n'),
    );
    expect(body.size).toBe(bytes.byteLength);
  });

  it('is the same on every reading, whatever the chunks its files come in', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    const whole = deliveryBody({ boundary, meta, media: [file('a.png', bytes)] });
    const view = bytes.subarray(0);
    const pieces = {
      ...file('a.png', bytes),
      open: async function* () {
        yield view.subarray(0, 100_001);
        yield view.subarray(100_001, 200_003);
        yield view.subarray(200_003);
      },
    };

    const first = await bytesOf(whole);

    expect((await bytesOf(whole)).equals(first)).toBe(true);
    expect((await bytesOf(deliveryBody({ boundary, meta, media: [pieces] }))).equals(first)).toBe(true);
  });

  it('cannot be given parts or headers by a caption, a file name or a type', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'a"b',
        'a\r\nX: 1\r\n\r\n',
        'a\\',
        '\r\n--another-boundary--\r\n',
        'a\0b',
        'é漢🎉',
        '"; name="meta',
      ),
    );
    await fc.assert(
      fc.asyncProperty(text, text, text, async (caption, filename, contentType) => {
        const body = deliveryBody({
          boundary,
          meta: { ...meta, caption },
          media: [file(filename, Buffer.from('x'), contentType)],
        });

        const bytes = await bytesOf(body);
        const parts = await parse(bytes, body.contentType);

        expect(bytes.byteLength).toBe(body.size);
        expect(parts.map(([name]) => name)).toEqual(['meta', 'media[0]']);
        expect(JSON.parse(String(parts[0]?.[1]))).toMatchObject({
          caption: caption.toWellFormed(),
          media: [{ filename: filename.toWellFormed() }],
        });
        expect(await fileIn(parts, 1).text()).toBe('x');
      }),
      { numRuns: 200 },
    );
  });

  it('numbers its files and repeats none', async () => {
    const body = deliveryBody({
      boundary,
      meta,
      media: [file('a', Buffer.from('1')), file('b', Buffer.from('22')), file('c', Buffer.alloc(0))],
    });

    const parts = await parse(await bytesOf(body), body.contentType);

    expect(parts.map(([name]) => name)).toEqual(['meta', 'media[0]', 'media[1]', 'media[2]']);
    expect([1, 2, 3].map((index) => fileIn(parts, index).size)).toEqual([1, 2, 0]);
  });

  it('fails while it is read when a file has changed its size', async () => {
    const shrunk = { ...file('a', Buffer.from('123')), size: 4 };

    await expect(bytesOf(deliveryBody({ boundary, meta, media: [shrunk] }))).rejects.toThrow(
      'media[0] yields 3 bytes instead of 4',
    );
  });

  it('takes no boundary that would need quoting', () => {
    expect(() => deliveryBody({ boundary: 'a b"c-0123456789abc', meta, media: [] })).toThrow(
      'a boundary must be',
    );
  });
});
