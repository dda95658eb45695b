import { describe, expect, it } from 'vitest';
import { hashSecret, lookupOf, newApiKey, parseApiKey } from '../../functions/access/api-key.ts';

const flipped = (text: string, index: number) =>
  text.slice(0, index) + (text[index] === 'a' ? 'b' : 'a') + text.slice(index + 1);

describe('an API key', () => {
  it('has the form the interface promises: prefix, live, lookup, secret', () => {
    const { apiKey, lookup, secret } = newApiKey();

    expect(apiKey).toMatch(/^spp_live_[0-9A-Za-z]{17}_[0-9A-Za-z]{49}$/);
    expect(apiKey.startsWith(`spp_live_${lookup}_${secret}`)).toBe(true);
    expect(parseApiKey(apiKey)).toEqual({ lookup, secret });
  });

  it('is never twice the same', () => {
    const keys = Array.from({ length: 200 }, newApiKey);

    expect(new Set(keys.map(({ lookup }) => lookup)).size).toBe(200);
    expect(new Set(keys.map(({ secret }) => secret)).size).toBe(200);
  });

  it('is told from a key with any one character changed, without asking anybody', () => {
    const { apiKey } = newApiKey();

    for (let index = 0; index < apiKey.length; index += 1) {
      expect(parseApiKey(flipped(apiKey, index)), `character ${index}`).toBeUndefined();
    }
  });

  it.each([
    ['nothing', () => ''],
    ['a key cut off', (key: string) => key.slice(0, -1)],
    ['a key with something after it', (key: string) => `${key}0`],
    ['a key with a line end after it', (key: string) => `${key}\n`],
    ['a key of a test system', (key: string) => key.replace('live', 'test')],
  ])('is not %s', (_, changed) => {
    expect(parseApiKey(changed(newApiKey().apiKey))).toBeUndefined();
  });
});

describe('hashSecret', () => {
  it('tells nothing of the secret and is stable', () => {
    expect(hashSecret('secret')).toMatch(/^[0-9a-f]{64}$/);
    expect(hashSecret('secret')).toBe(hashSecret('secret'));
    expect(hashSecret('secret')).not.toBe(hashSecret('Secret'));
  });
});

describe('lookupOf', () => {
  it('takes a key or its lookup, and nothing else', () => {
    const { apiKey, lookup } = newApiKey();

    expect(lookupOf(apiKey)).toBe(lookup);
    expect(lookupOf(lookup)).toBe(lookup);
    expect(lookupOf(`${apiKey}x`)).toBeUndefined();
    expect(lookupOf('')).toBeUndefined();
  });
});
