import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { OtherBodies } from '../access/endpoint.ts';
import { type FormFile, formDigest, readForm } from './form-file.ts';

/**
 * By this header the upload gateway says which form an upload by key came from, so that a repeat of the form,
 * which it uploads under another key, counts as the same request. Whoever else sends it deceives only themselves.
 */
export const FORM_DIGEST_HEADER = 'x-form-digest';

/** Reads POST /media's bodies that are forms, or stand for one. */
export const formBody: OtherBodies<FormFile> = async (request, bytes) => {
  const digest = request.header(FORM_DIGEST_HEADER);
  if (request.contentType !== 'multipart/form-data') {
    return digest === undefined ? undefined : { identity: { form: digest } };
  }
  const { taken, identity } = await readForm(
    request.header('content-type') ?? '',
    Readable.from([bytes()], { objectMode: false }),
    async ({ filename, declared, stream }) => ({ filename, declared, content: await buffer(stream) }),
  );
  return { identity: { form: formDigest(identity) }, body: taken };
};
