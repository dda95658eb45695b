/** YouTube, `videos` resource: titles of 100 characters. */
export const YOUTUBE_TITLE_LIMIT = 100;

/** YouTube, `videos` resource: neither titles nor descriptions may have angle brackets. */
export const hasAngleBrackets = (text: string): boolean => /[<>]/.test(text);

/** A title for YouTube from a caption: its first 100 characters on one line, without what titles refuse. */
export const deriveTitle = (caption: string): string =>
  [...caption.replace(/[<>]/g, '').replace(/\s+/g, ' ').trim()].slice(0, YOUTUBE_TITLE_LIMIT).join('').trim();

/** YouTube, `videos` resource: a description of 5000 bytes of UTF-8. */
export const YOUTUBE_DESCRIPTION_BYTES = 5000;

/** YouTube, `videos` resource: tags of 500 characters in all. */
export const YOUTUBE_TAGS_LIMIT = 500;

/** The length of tags as YouTube counts it: with the commas between them, and quotes around those with a space. */
export const tagsLength = (tags: readonly string[]): number =>
  tags.reduce((sum, tag) => sum + [...tag].length + (/\s/.test(tag) ? 2 : 0), Math.max(0, tags.length - 1));
