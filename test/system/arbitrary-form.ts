import fc from 'fast-check';
import { PIXEL } from './sample-requests.ts';

/** A form as a fuzzer makes it: bytes, and what the header says they are. */
export interface FuzzedForm {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** With this probability in ten, what a client gets right. */
const mostly = <T>(right: T, ...wrong: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(right), weight: 9 * wrong.length }, ...wrong);

const boundary = mostly(
  '----WebKitFormBoundary7MA4YWxk',
  fc.constantFrom('', '-', '--', 'x'.repeat(70), 'x'.repeat(300), "a b'()+_,./:=?", '\u00e9'),
  fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
);

const name = mostly('file', fc.constantFrom('', 'File', 'files', 'url', 'file"', '__proto__'), fc.string());

const filename = fc.oneof(
  { arbitrary: fc.constantFrom('bread.png', undefined), weight: 4 },
  fc.constantFrom('', '"', 'a"; name="url', '../../etc/passwd', 'é 😀.png', 'x'.repeat(5000), '\0', 'a\\b'),
  fc.string({ unit: 'grapheme' }),
);

const type = mostly<string | undefined>(
  'image/png',
  fc.constantFrom(
    undefined,
    '',
    'text/plain',
    'image/svg+xml',
    'multipart/mixed; boundary=a',
    'x'.repeat(5000),
  ),
  fc.string(),
);

const content = fc.oneof(
  { arbitrary: fc.constant(PIXEL), weight: 6 },
  fc.constant(Buffer.alloc(0)),
  fc.constant(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  // A picture with something else after its end, and one that breaks off.
  fc.uint8Array({ maxLength: 200 }).map((tail) => Buffer.concat([PIXEL, tail])),
  fc.nat(PIXEL.length).map((end) => PIXEL.subarray(0, end)),
  fc.uint8Array({ maxLength: 5000 }).map((bytes) => Buffer.from(bytes)),
);

const lineEnd = mostly('\r\n', fc.constantFrom('\n', '\r', ''));

/** A line among a part's own. */
const stray = mostly(
  '',
  fc.constantFrom(
    'no colon',
    ': no name',
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: form-data',
  ),
  fc.string().map((text) => `X-Stray: ${text}`),
);

const part = fc
  .record({ name, filename, type, content, stray, lineEnd, disposition: mostly('form-data', fc.string()) })
  .map((of) => {
    const named = of.filename === undefined ? '' : `; filename="${of.filename}"`;
    const lines = [
      `Content-Disposition: ${of.disposition}; name="${of.name}"${named}`,
      ...(of.type === undefined ? [] : [`Content-Type: ${of.type}`]),
      ...(of.stray === '' ? [] : [of.stray]),
    ];
    return { head: lines.map((line) => line + of.lineEnd).join('') + of.lineEnd, content: of.content };
  });

/** Forms for POST /media: at first as clients send them, then with names, lines, lengths and ends that are wrong. */
export const arbitraryForm: fc.Arbitrary<FuzzedForm> = fc
  .record({
    boundary,
    parts: fc.oneof(
      { arbitrary: fc.array(part, { minLength: 1, maxLength: 1 }), weight: 5 },
      fc.array(part, { maxLength: 12 }),
    ),
    lineEnd,
    end: mostly('--\r\n', fc.constantFrom('', '-', '--', '\r\n', '--\r\nepilogue', '--\r\n'.repeat(1000))),
    preamble: mostly('', fc.string()),
    cut: mostly(0, fc.nat(3000)),
    contentType: mostly(
      (of: string) => `multipart/form-data; boundary=${of}`,
      fc.constantFrom(
        (of: string) => `multipart/form-data; boundary="${of}"`,
        (of: string) => `Multipart/Form-Data;charset=utf-8;Boundary=${of}`,
        () => 'multipart/form-data',
        () => 'multipart/form-data; boundary=another',
        (of: string) => `multipart/form-data; boundary=a; boundary=${of}`,
        (of: string) => `multipart/mixed; boundary=${of}`,
      ),
    ),
  })
  .map(({ parts, lineEnd: eol, end, preamble, cut, ...of }) => {
    const body = Buffer.concat([
      Buffer.from(preamble),
      ...parts.flatMap(({ head, content: bytes }) => [
        Buffer.from(`--${of.boundary}${eol}${head}`),
        bytes,
        Buffer.from(eol),
      ]),
      Buffer.from(`--${of.boundary}${end}`),
    ]);
    return {
      contentType: of.contentType(of.boundary).trim(),
      body: new Uint8Array(body.subarray(0, Math.max(0, body.length - cut))),
    };
  });
