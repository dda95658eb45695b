import { expect, it } from 'vitest';
import { encoded } from '../../../functions/publishing/platforms/call-body.ts';
import type { PlatformClient } from '../../../functions/publishing/platforms/platform-client.ts';
import { youtubeRecentPosts } from '../../../functions/publishing/platforms/youtube/recent-posts.ts';
import { youtubeUrls } from '../../../functions/publishing/platforms/youtube/youtube-dialect.ts';
import { fakeYoutube } from '../../../local/platforms/youtube.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const CREDENTIALS = {
  access_token: 'youtube-000777-a',
  refresh_token: 'refresh-000777-a',
  client_id: 'id',
  client_secret: 'secret',
};

function youtube() {
  const fetchFile = async () => undefined;
  const fake = fakeYoutube({ url: 'https://yt.test', clock: () => NOW_MS, fetchFile, processingMs: 0 });
  const client: PlatformClient = async ({ method, url, query = {}, headers = {}, body }) => {
    const form = body && 'form' in body ? encoded(body.form).toString() : '';
    const answer = await fake.handle({
      ...{ method, path: new URL(url).pathname, query: encoded(query), body: Buffer.from(form) },
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    });
    return { outcome: 'answered', status: answer.status, headers: {}, body: answer.body };
  };
  const urls = youtubeUrls({ YOUTUBE_API_URL: 'https://yt.test', GOOGLE_TOKEN_URL: 'https://yt.test/token' });
  return { fake, recent: youtubeRecentPosts(client, urls, () => NOW_MS) };
}

it('reads the newest videos of the channel alone, renewing a token that has run out', async () => {
  const { fake, recent } = youtube();
  const status = { privacyStatus: 'public' } as const;
  for (const [id, account] of [
    ['a', '000777'],
    ['b', '000888'],
    ['c', '000777'],
  ] as const) {
    const snippet = { title: `Title ${id}`, description: `About ${id}` };
    fake.state.videos[id] = { account, snippet, status, at_ms: NOW_MS };
  }

  const found = await recent({ ...CREDENTIALS, expires_at: '2026-11-20T00:00:00.000Z' }, 10);

  expect(found).toEqual([
    {
      externalId: 'c',
      url: 'https://www.youtube.com/watch?v=c',
      text: 'Title c\n\nAbout c',
      publishedAtMs: NOW_MS,
    },
    expect.objectContaining({ externalId: 'a' }),
  ]);
  expect(fake.state.grants['000777']?.access).toBe('youtube-000777-r1');
});

it('says why there is no list', async () => {
  const { fake, recent } = youtube();
  fake.state.grants['000777'] = { access: 'another', refresh: 'another' };

  await expect(recent(CREDENTIALS, 10)).rejects.toThrow('the connection is no longer valid');
  await expect(recent({ ...CREDENTIALS, expires_at: '2026-11-20T00:00:00.000Z' }, 10)).rejects.toThrow(
    'invalid_grant',
  );
});
