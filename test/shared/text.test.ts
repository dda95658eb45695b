import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { codePoints, text, Uuid } from '../../functions/shared/text.ts';

const messageOf = (schema: v.GenericSchema, value: unknown) => v.safeParse(schema, value).issues?.[0].message;

describe('codePoints', () => {
  it.each([
    ['a family emoji', '👨‍👩‍👧‍👦', 7],
    ['a flag', '🇩🇪', 2],
    ['thumbs up with a skin tone', '👍🏽', 2],
    ['e with a combining acute', 'e\u0301', 2],
    ['Z with three marks', 'Z\u0351\u036b\u0343', 4],
    ['a CJK extension B ideograph', '𠀀', 1],
    ['keycap 1', '1\ufe0f\u20e3', 3],
    ['the rainbow flag', '🏳️‍🌈', 4],
    ['a lone surrogate', '\ud800', 1],
    ['nothing', '', 0],
  ])('counts %s', (_, sample, count) => {
    expect(codePoints(sample)).toBe(count);
  });
});

describe('text', () => {
  it.each(['a', 'é', '漢', '😀'])('takes %s up to the limit, whatever its size in bytes', (character) => {
    expect(v.is(text(1, 10), character.repeat(9))).toBe(true);
    expect(v.is(text(1, 10), character.repeat(10))).toBe(true);
    expect(messageOf(text(1, 10), character.repeat(11))).toBe(
      'must have at most 10 characters (Unicode code points), got 11',
    );
  });

  it.each(['', ' ', '\t\n', '\u00a0\u3000'])('refuses %j where something must be said', (nothing) => {
    expect(messageOf(text(1, 10), nothing)).toBe('must have at least 1 character other than white space');
  });

  it('takes nothing at all where that is allowed', () => {
    expect(v.is(text(0, 10), '')).toBe(true);
    expect(v.is(text(0, 10), '  ')).toBe(true);
  });

  it('keeps white space around a text', () => {
    expect(v.parse(text(1, 10), ' a ')).toBe(' a ');
  });
});

describe('Uuid', () => {
  it('reads upper case as lower case', () => {
    expect(v.parse(Uuid, '0199A0E0-0000-7000-8000-00000000ABCD')).toBe(
      '0199a0e0-0000-7000-8000-00000000abcd',
    );
  });

  it.each(['', 'x', '0199a0e0000070008000000000000000', '0199a0e0-0000-7000-8000-000000000000#TARGET'])(
    'refuses %j',
    (other) => {
      expect(messageOf(Uuid, other)).toBe('must be a UUID');
    },
  );
});
