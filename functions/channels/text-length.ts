import { codePoints } from '../shared/text.ts';
import type { TextUnit } from './platform.ts';

const LENGTH: Record<TextUnit, (text: string) => number> = {
  'code points': codePoints,
  'UTF-16 units': (text) => text.length,
  'UTF-8 bytes': (text) => Buffer.byteLength(text, 'utf8'),
};

/** The length of a text as a platform counts it. */
export const lengthIn = (unit: TextUnit, text: string): number => LENGTH[unit](text);
