import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { createMediaOperation } from '../../functions/media/create-media.ts';
import { validated } from '../../functions/shared/http/validated.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import { tableUnderTest } from '../table-under-test.ts';
import { FORM_END, FORM_TYPE, formPart, readBody } from './forms.ts';
import { mediaService } from './media-service.ts';
import { image } from './samples.ts';

const under = tableUnderTest();
const named = (name: string, content: Buffer | string = 'x') =>
  formPart(`; name="${name}"; filename="a.jpg"`, content, 'image/jpeg');

/** What the sender of a body is told. */
async function told(body: Buffer, contentType?: string): Promise<string> {
  const media = await mediaService(under.table);
  try {
    const form = await readBody(body, contentType);
    if (form) await media.create(form);
    return 'nothing';
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 400) throw error;
    return error.message;
  }
}

describe('a form', () => {
  it.each<[string, Buffer[], RegExp]>([
    ['is empty', [], /its parts cannot be told apart/],
    ['has no part', [FORM_END], /has no part "file"/],
    ['has a second file', [named('file'), named('file'), FORM_END], /has a second part "file"/],
    ['has another file', [named('photo'), FORM_END], /has another field, "photo"/],
    ['has a field', [formPart('; name="title"', 'x'), named('file'), FORM_END], /has another field, "title"/],
    [
      'has a part without a name',
      [formPart('; filename="a.jpg"', 'x'), FORM_END],
      /has a part without a name/,
    ],
    ['has a part without a head', [Buffer.from('--xYzZy\r\n\r\nx\r\n'), FORM_END], /has no part "file"/],
    ['does not end', [named('file')], /its parts cannot be told apart/],
  ])('that %s is told so, and what to send', async (_, parts, why) => {
    const message = await told(Buffer.concat(parts));

    expect(message).toMatch(why);
    expect(message).toMatch(/send multipart\/form-data with one part, "file", that is the file itself$/);
  });

  it.each<[string, Buffer, RegExp]>([
    ['is empty', named('file', ''), /^the file is empty; send the bytes of an image or video$/],
    ['is a path in a field', formPart('; name="file"', 'photo.jpg'), /has no filename.*-F file=@photo\.jpg/],
    [
      'is a text',
      named('file', 'hello'),
      /^the file's bytes are of no type that is taken; send image\/jpeg.*webm$/,
    ],
  ])('whose part "file" %s is told so', async (_, part, why) => {
    expect(await told(Buffer.concat([part, FORM_END]))).toMatch(why);
  });

  it('whose file came as a field without a filename is taken, if it is one', async () => {
    const file = formPart('; name="file"', await image('png'));

    expect(await told(Buffer.concat([file, FORM_END]))).toBe('nothing');
  });

  it('without a boundary, or with another than its own, is told so', async () => {
    const body = Buffer.concat([named('file'), FORM_END]);

    expect(await told(body, 'multipart/form-data')).toMatch(/boundary not found/);
    expect(await told(body, FORM_TYPE.replace('xYzZy', 'other'))).toMatch(/cannot be told apart/);
  });
});

describe('a body of JSON', () => {
  it.each([
    [{}, 'body must have a url, or a key of POST /media/upload-url'],
    [{ url: 'https://a.example.com', key: 'b' }, 'body has both a url and a key; send one of them'],
  ])('with %j is told what to send', (body, message) => {
    expect(() => validated(createMediaOperation.body ?? v.never(), body, 'body')).toThrow(message);
  });
});
