import { describe, expect, it } from 'vitest';
import { isPublicAddress, isSameAddress } from '../../functions/shared/outbound/public-address.ts';
import { NOT_ADDRESSES, PRIVATE_IPV4, PRIVATE_IPV6, PUBLIC_IPV4, PUBLIC_IPV6 } from './ssrf-corpus.ts';

describe('isPublicAddress', () => {
  it.each([...PRIVATE_IPV4, ...PRIVATE_IPV6, ...NOT_ADDRESSES])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([...PUBLIC_IPV4, ...PUBLIC_IPV6])('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('isSameAddress', () => {
  it('knows an address in another spelling', () => {
    expect(isSameAddress('2001:4860:4860:0:0:0:0:8888', '2001:4860:4860::8888')).toBe(true);
    expect(isSameAddress('8.8.8.8', '8.8.8.8')).toBe(true);
  });

  it('knows no other address, and none where there is none', () => {
    expect(isSameAddress('8.8.4.4', '8.8.8.8')).toBe(false);
    expect(isSameAddress(undefined, '8.8.8.8')).toBe(false);
    expect(isSameAddress('', '8.8.8.8')).toBe(false);
  });
});
