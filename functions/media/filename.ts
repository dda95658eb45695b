/** The longest name a file keeps, in code points: what file systems take. */
export const MAX_FILENAME_LENGTH = 255;

/**
 * What has no place in a name that others show and save: controls, line and paragraph breaks, halves of surrogate
 * pairs, and the marks that turn the order of letters round, by which `gpj.exe` is made to look like a picture.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * The name a file keeps of what its sender called it: the last part of a path, in any script, composed (NFC) and
 * of bounded length. Null where nothing is left. Every name comes through here once, when its file does.
 */
export function filenameOf(given: string | null | undefined): string | null {
  const seen = (given ?? '').replace(UNSEEN, '').normalize('NFC');
  const last = seen.split(/[/\\]/).at(-1)?.trim() ?? '';
  const name = Array.from(last).slice(0, MAX_FILENAME_LENGTH).join('').trimEnd();
  return name === '' || name === '.' || name === '..' ? null : name;
}
