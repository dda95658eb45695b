import { formBody } from '../../functions/media/form-body.ts';
import type { FormFile } from '../../functions/media/form-file.ts';
import { readRequest } from '../../functions/shared/http/http-request.ts';
import { httpEvent } from '../http-event.ts';

const BOUNDARY = 'xYzZy';

/** A part of a form: what its Content-Disposition says besides `form-data`, its type if it has one, its bytes. */
export const formPart = (disposition: string, content: Buffer | string, type?: string): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data${disposition}\r\n`),
    Buffer.from(type === undefined ? '\r\n' : `Content-Type: ${type}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);

/** The end of a form. */
export const FORM_END = Buffer.from(`--${BOUNDARY}--\r\n`);
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Reads a body of POST /media as the endpoint does; undefined where it is left to be read as JSON. */
export async function readBody(body: Buffer, contentType: string = FORM_TYPE): Promise<FormFile | undefined> {
  const headers: Record<string, string> = contentType === '' ? {} : { 'content-type': contentType };
  const read = await formBody(readRequest(httpEvent({ method: 'POST', headers, body })), () => body);
  return read?.body;
}

/** What comes of a file sent as a form under a name. */
export async function readAsForm(content: Buffer, { filename = 'bread.jpg' } = {}): Promise<FormFile> {
  const quoted = filename.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const part = formPart(`; name="file"; filename="${quoted}"`, content, 'image/jpeg');
  const form = await readBody(Buffer.concat([part, FORM_END]));
  if (!form) throw new Error('the form was not read as one');
  return form;
}
