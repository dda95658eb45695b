import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ShownPost } from '../../local/platforms/fake-platform.ts';
import { film, image } from '../media/samples.ts';
import { channelOf, eventually, runningService } from './client.ts';

const { service, call } = runningService();

async function upload(file: Buffer, name: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(file)]), name);
  const headers = {
    authorization: `Bearer ${service.workspaces[0]?.api_keys.full}`,
    'idempotency-key': randomUUID(),
  };
  const response = await fetch(`${service.base_url}/media`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { id: string }).id;
}

/** Publishes to one channel and waits for the end: the target, and what is seen of it on the platform. */
async function publish(platform: string, media: readonly string[], options?: object) {
  const caption = `To ${platform} ${randomUUID()}`;
  const channels = [{ id: channelOf(service, platform), options }];
  const body = { caption, media: media.map((id) => ({ id })), channels, publish_now: true };
  const { body: created } = await call('POST', '/posts', { body });
  const target = await eventually(async () => {
    const { body: post } = await call('GET', `/posts/${created.id}`);
    return ['posted', 'failed'].includes(post.status) ? post.channels[0] : undefined;
  }, 40_000);
  const shown = (await (await fetch(`${service.platforms_url}/posts`)).json()) as ShownPost[];
  return { target, seen: shown.filter(({ text }) => text === caption) };
}

it('publishes to TikTok, YouTube and LinkedIn, once each, with ids and addresses', async () => {
  const [photo, video] = await Promise.all([
    upload(await image('png', { width: 400, height: 400 }), 'loaf.png'),
    upload(await film('mp4', { width: 360, height: 640 }), 'loaf.mp4'),
  ]);
  const isPublic = { privacy_level: 'PUBLIC_TO_EVERYONE' };

  const all = await Promise.all([
    publish('tiktok', [video], isPublic),
    publish('youtube', [video], { privacy_status: 'unlisted' }),
    publish('linkedin_personal', []),
    publish('linkedin_company', [photo], { image_alt_texts: ['a loaf'] }),
  ]);

  for (const { target, seen } of all) {
    expect(target).toMatchObject({ status: 'posted', error_message: null });
    expect(seen).toHaveLength(1);
  }
  const [, youtube, member, company] = all;
  for (const { target, seen } of [youtube, member, company]) {
    expect(target.external_post_id).toBe(seen[0]?.id);
    expect(target.external_post_url).toContain(seen[0]?.id);
  }
  expect(company.seen[0]?.media).toEqual([
    { kind: 'image', alt_text: 'a loaf', url: expect.stringMatching(/^data:image\/jpeg/) },
  ]);
}, 60_000);
