import { describe, expect, it } from 'vitest';
import { linkedinDialect } from '../../../functions/publishing/platforms/linkedin/linkedin-dialect.ts';
import type {
  PlatformCall,
  PlatformClient,
} from '../../../functions/publishing/platforms/platform-client.ts';
import { tiktokDialect } from '../../../functions/publishing/platforms/tiktok/tiktok-dialect.ts';
import { youtubeDialect } from '../../../functions/publishing/platforms/youtube/youtube-dialect.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const SHARED = { access_token: 'old', refresh_token: 'refresh', expires_at: '2026-11-21T00:30:00.000Z' };
const TIKTOK = { ...SHARED, client_key: 'key', client_secret: 'secret', open_id: '1' };
const YOUTUBE = { ...SHARED, client_id: 'id', client_secret: 'secret' };
const LINKEDIN = { ...YOUTUBE, author: 'urn:li:person:1' };

/** The refreshes of all three, at a token endpoint that answers so. */
function refreshes(status: number, body: unknown) {
  const calls: PlatformCall[] = [];
  const client: PlatformClient = async (call) => {
    calls.push(call);
    return { outcome: 'answered', status, headers: {}, body };
  };
  const needs = { client, clock: () => NOW_MS };
  const token = 'https://token.test';
  return {
    calls,
    all: [
      [tiktokDialect('https://tiktok.test/v2', needs).refresh, TIKTOK],
      [youtubeDialect({ api: '', uploads: '', token }, needs).refresh, YOUTUBE],
      [linkedinDialect({ rest: '', version: '202609', token }, needs).refresh, LINKEDIN],
    ] as const,
  };
}

describe('a refresh', () => {
  it('takes the new tokens, and keeps a refresh token that was not replaced', async () => {
    for (const refresh_token of ['newer', undefined]) {
      const { all, calls } = refreshes(200, { access_token: 'new', expires_in: 3600, refresh_token });
      for (const [refresh, credentials] of all) {
        expect(await refresh?.refresh(credentials)).toEqual({
          outcome: 'refreshed',
          credentials: {
            ...credentials,
            access_token: 'new',
            refresh_token: refresh_token ?? 'refresh',
            expires_at: '2026-11-21T01:00:00.000Z',
          },
        });
      }
      expect(calls.map(({ body }) => body)).toMatchObject([
        { form: { client_key: 'key', grant_type: 'refresh_token', refresh_token: 'refresh' } },
        { form: { client_id: 'id', grant_type: 'refresh_token', refresh_token: 'refresh' } },
        { form: { client_id: 'id', grant_type: 'refresh_token', refresh_token: 'refresh' } },
      ]);
    }
  });

  it.each([200, 400])('ends the connection on invalid_grant alone, with status %i', async (status) => {
    for (const [refresh, credentials] of refreshes(status, { error: 'invalid_grant' }).all) {
      expect(await refresh?.refresh(credentials)).toMatchObject({ outcome: 'gone', event: 'token_expired' });
    }
  });

  it.each([
    [500, undefined],
    [200, undefined],
    [200, { access_token: '', expires_in: 3600 }],
    [200, { access_token: 'new' }],
    [401, { error: 'invalid_client' }],
    [429, { error: 'temporarily_unavailable' }],
  ])('changes nothing on %i with %j', async (status, body) => {
    for (const [refresh, credentials] of refreshes(status, body).all) {
      expect(await refresh?.refresh(credentials)).toMatchObject({ outcome: 'failed' });
    }
  });

  it('is due an hour, ten minutes or a week before the end of a token', () => {
    const [tiktok, youtube, linkedin] = refreshes(200, {}).all.map(([refresh]) => refresh);
    const at = (minutes: number) => Date.parse(SHARED.expires_at) - minutes * 60_000;

    expect([61, 59].map((minutes) => tiktok?.isDue(TIKTOK, at(minutes)))).toEqual([false, true]);
    expect([11, 9].map((minutes) => youtube?.isDue(YOUTUBE, at(minutes)))).toEqual([false, true]);
    expect([10_081, 10_079].map((minutes) => linkedin?.isDue(LINKEDIN, at(minutes)))).toEqual([false, true]);
  });

  it('is not tried for LinkedIn tokens that cannot be renewed', async () => {
    const [, , [refresh] = []] = refreshes(200, {}).all;
    const { refresh_token: _, ...unrenewable } = LINKEDIN;

    expect(refresh?.isDue(unrenewable, Date.parse('2027-01-01'))).toBe(false);
    expect(await refresh?.refresh(unrenewable)).toMatchObject({ outcome: 'gone', code: 'not_renewable' });
  });
});
