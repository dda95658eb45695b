import { describe, expect, it } from 'vitest';
import { publicUrl } from '../../functions/shared/outbound/public-url.ts';
import {
  IPV4_SPELLINGS,
  NAMES_LEADING_INSIDE,
  OCTAL_TRAP,
  PUBLIC_URLS,
  REFUSED_URLS,
  UNPARSABLE,
} from './ssrf-corpus.ts';

describe('publicUrl', () => {
  it.each(REFUSED_URLS)('refuses %j', (raw) => {
    expect(publicUrl(raw).outcome).toBe('refused');
  });

  it.each(PUBLIC_URLS)('accepts %s', (raw) => {
    expect(publicUrl(raw).outcome).toBe('public');
  });

  it.each(Object.keys(NAMES_LEADING_INSIDE))('leaves %s to name resolution', (name) => {
    expect(publicUrl(`https://${name}/`)).toMatchObject({ destination: { kind: 'name', name } });
  });

  it('judges an address by what it is, not by how it looks', () => {
    const [raw, address] = OCTAL_TRAP;
    expect(publicUrl(raw)).toMatchObject({ outcome: 'public', destination: { kind: 'address', address } });
  });

  it('sees the same hosts as the parser it relies on', () => {
    for (const [raw, host] of IPV4_SPELLINGS) expect(URL.parse(raw)?.hostname, raw).toBe(host);
    for (const raw of UNPARSABLE) expect(URL.canParse(raw), raw).toBe(false);
  });

  it('strips the final dot of a name and lowers its case', () => {
    const checked = publicUrl('https://ExAmple.COM./');
    expect(checked).toMatchObject({ destination: { kind: 'name', name: 'example.com' } });
  });

  it('refuses our own hosts', () => {
    expect(publicUrl('https://api.ours.com/', { ownHosts: ['api.ours.com'] }).outcome).toBe('refused');
  });
});

describe('publicUrl with loopback allowed', () => {
  it.each([
    'http://localhost:3000/',
    'http://127.0.0.1:8080/hook',
    'http://[::1]:9/',
    'https://localhost:8443/',
  ])('accepts %s', (raw) => {
    expect(publicUrl(raw, { loopback: 'allowed' }).outcome).toBe('public');
  });

  const loopback =
    /^https?:\/\/(\[::1\]|\[0:0:0:0:0:0:0:1\]|localhost\.?|127\.|2130706433|0x7f|0177|017700|00000000177)/i;
  it.each(REFUSED_URLS.filter((raw) => !loopback.test(raw)))('still refuses %j', (raw) => {
    expect(publicUrl(raw, { loopback: 'allowed' }).outcome).toBe('refused');
  });
});
