/** Characters that end a text where they stand bare, but for a `#` that begins a hashtag. */
const RESERVED = /[|{}@[\]()<>*_~]/;

/**
 * A text as LinkedIn shows it: a backslash makes a reserved character stand for itself; at a bare one the
 * rest of the text is dropped, as LinkedIn was seen to do.
 */
export function readLittleText(text: string): string {
  let shown = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\') {
      at += 1;
      shown += text[at] ?? '';
      continue;
    }
    const isBareHash = character === '#' && !/^[\p{L}\p{N}_\\]/u.test(text.slice(at + 1, at + 3));
    if (isBareHash || RESERVED.test(character)) return shown;
    shown += character;
  }
  return shown;
}
