/** What has a meaning of its own in LinkedIn's "little" text format. */
const RESERVED = /[|{}@[\]()<>#\\*_~]/g;

/** A `#` that begins a hashtag: before a letter, digit or underscore, and not within a word. */
const HASHTAG = /^#[\p{L}\p{N}_]/u;
const WORD = /[\p{L}\p{N}_]/u;

/**
 * A text as LinkedIn's format has it: everything stands for itself but hashtags, which stay links. One
 * reserved character left bare makes LinkedIn drop the rest of the text, and say nothing of it.
 */
export const littleText = (text: string): string =>
  text.replace(RESERVED, (character, at: number) =>
    character === '#' && HASHTAG.test(text.slice(at, at + 3)) && !WORD.test(before(text, at))
      ? character
      : `\\${character}`,
  );

/** The whole character before an index, which may be two units long. */
const before = (text: string, at: number): string => [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
