import { describe, expect, it } from 'vitest';
import { checkWebhookSecret } from '../../functions/channels/webhook-secret.ts';
import { checkWebhookUrl } from '../../functions/channels/webhook-url.ts';
import { REFUSED_URLS } from '../outbound/ssrf-corpus.ts';

describe('checkWebhookUrl', () => {
  it('accepts a public https URL and gives it back in its canonical form', () => {
    expect(checkWebhookUrl('https://Hooks.Example.com:443/in')).toEqual({
      outcome: 'accepted',
      url: 'https://hooks.example.com/in',
    });
  });

  it('accepts loopback over http for the local service alone', () => {
    expect(checkWebhookUrl('http://localhost:3000/inbox/hook').outcome).toBe('refused');
    expect(checkWebhookUrl('http://localhost:3000/inbox/hook', { loopback: 'allowed' }).outcome).toBe(
      'accepted',
    );
  });

  it('says that loopback is allowed where it is', () => {
    const messageOf = (loopback?: 'allowed') => {
      const checked = checkWebhookUrl('http://example.com/', { loopback });
      return checked.outcome === 'refused' && checked.message;
    };

    expect(messageOf('allowed')).toContain('or one of this machine, such as http://localhost');
    expect(messageOf()).not.toContain('localhost');
  });

  it('refuses every URL of the corpus in the same words, without repeating it', () => {
    const messages = new Set(REFUSED_URLS.map((raw) => JSON.stringify(checkWebhookUrl(raw))));

    expect(messages.size).toBe(1);
    expect([...messages][0]).toContain('must be a public https URL');
  });
});

describe('checkWebhookSecret', () => {
  it.each([
    'correct-horse-battery-staple',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'schlüssel-漢字-secret-0123',
    '3f1a9c0e5b7d2468ace013579bdf',
  ])('accepts %s', (secret) => {
    expect(checkWebhookSecret(secret)).toEqual({ outcome: 'accepted' });
  });

  it.each([
    '',
    'short',
    'twenty-three-bytes-long',
    'a'.repeat(64),
    'ababababababababababababab',
    'x1'.repeat(300),
    `${'\ud800'}abcdefghijklmnopqrstuvwxyz`,
  ])('refuses %j without repeating it', (secret) => {
    const checked = checkWebhookSecret(secret);

    expect(checked).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('the signing secret must'),
    });
    if (secret !== '') expect(JSON.stringify(checked)).not.toContain(secret);
  });
});
