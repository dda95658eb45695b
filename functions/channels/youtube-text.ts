/** YouTube, `videos` resource: titles of 100 characters. */
export const YOUTUBE_TITLE_LIMIT = 100;

/** YouTube, `videos` resource: neither titles nor descriptions may have angle brackets. */
export const hasAngleBrackets = (text: string): boolean => /[<>]/.test(text);

/** A title for YouTube from a caption: its first 100 characters on one line, without what titles refuse. */
export const deriveTitle = (caption: string): string =>
  [...caption.replace(/[<>]/g, '').replace(/\s+/g, ' ').trim()].slice(0, YOUTUBE_TITLE_LIMIT).join('').trim();
