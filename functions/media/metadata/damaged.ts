import { RequestError } from '../../shared/request-error.ts';

/** The refusal of a file that does not keep to its own format. */
export const damaged = (what: string): RequestError =>
  new RequestError('invalid_request', `the file is damaged: ${what}; send an intact file`);

/** Markup a browser might run, should it ever take the file for a page. */
const MARKUP = /<(?:!doctype|html|script|svg|iframe)\b/i;

/** How an archive's members or its directory begin: ZIP (and JAR, APK, Office), RAR, 7z. */
const ARCHIVES = ['PK\x03\x04', 'PK\x05\x06', 'Rar!\x1a', '7z\xbc\xaf'];

/**
 * Refuses an image that is another kind of file too: what it carries besides its picture is a page or an archive.
 *
 * @param aside the parts that are no picture: comments and metadata, and what follows the image's end.
 * @throws {RequestError} invalid_request
 */
export function refusePolyglot(aside: { metadata: Buffer; trailing: Buffer }): void {
  const trailing = aside.trailing.toString('latin1');
  const isPage = [trailing, aside.metadata.toString('latin1')].some((part) => MARKUP.test(part));
  if (!isPage && !ARCHIVES.some((start) => trailing.includes(start))) return;
  throw new RequestError(
    'invalid_request',
    `the image is ${isPage ? 'a page' : 'an archive'} at the same time; send the image alone`,
  );
}
