import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, inject, it } from 'vitest';
import { runOperator } from '../../bin/operator/run-operator.ts';
import type { ShownPost } from '../../local/platforms/fake-platform.ts';
import { channelOf, eventually, runningService } from './client.ts';

const { service, call } = runningService();
const workspaceId = service.workspaces[0]?.id ?? '';

async function operator(...args: readonly string[]) {
  const printed: string[] = [];
  const code = await runOperator([...args, '--json'], {
    stateDirectory: inject('stateDirectory'),
    print: (text) => printed.push(text),
    complain: (line) => printed.push(line),
  });
  if (code !== 0) throw new Error(printed.join('\n'));
  return JSON.parse(printed.join('\n'));
}

/** What was published on the fake platforms with this text. */
async function published(text: string): Promise<ShownPost[]> {
  const posts = (await (await fetch(`${service.platforms_url}/posts`)).json()) as ShownPost[];
  return posts.filter((post) => post.text === text);
}

async function image(colour: string, type: 'jpeg' | 'png'): Promise<string> {
  const bytes = await sharp({ create: { width: 640, height: 640, channels: 3, background: colour } })
    .toFormat(type)
    .toBuffer();
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)], { type: `image/${type}` }), `${colour}.${type}`);
  const response = await fetch(`${service.base_url}/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.workspaces[0]?.api_keys.full}`,
      'idempotency-key': randomUUID(),
    },
    body: form,
  });
  return ((await response.json()) as { id: string }).id;
}

/** Publishes at once and waits for the end. */
async function publish(body: object) {
  const { body: created } = await call('POST', '/posts', { body: { ...body, publish_now: true } });
  return eventually(async () => {
    const { body: post } = await call('GET', `/posts/${created.id}`);
    const hasAddresses = post.channels.every((each: { external_post_url: string | null }) =>
      each.external_post_url?.startsWith(service.platforms_url),
    );
    return post.status === 'posted' && hasAddresses ? post : undefined;
  }, 25_000);
}

describe('publishing to the fake platforms', () => {
  it('brings pictures to Facebook and Instagram, each in its form, with their addresses', async () => {
    const media = [{ id: await image('tomato', 'jpeg') }, { id: await image('teal', 'png') }];
    const caption = `Two loaves ${randomUUID()}`;
    const options = { image_alt_texts: ['red', 'green'] };

    const post = await publish({
      caption,
      media,
      channels: ['meta_facebook', 'meta_instagram'].map((each) => ({
        id: channelOf(service, each),
        options,
      })),
    });

    const seen = await published(caption);
    expect(seen.map(({ platform, kind }) => [platform, kind])).toEqual(
      expect.arrayContaining([
        ['facebook', 'feed'],
        ['instagram', 'carousel'],
      ]),
    );
    for (const { id, media: shown } of seen) {
      expect(post.channels.map((each: { external_post_id: string }) => each.external_post_id)).toContain(id);
      expect(shown.map(({ alt_text }) => alt_text)).toEqual(['red', 'green']);
      for (const { url } of shown)
        expect((await fetch(url ?? '')).headers.get('content-type')).toMatch(/^image\//);
    }
    const page = await (await fetch(service.platforms_url)).text();
    expect(page).toContain(caption);
  });

  it('refuses before it accepts what a platform would refuse', async () => {
    const id = await image('gold', 'jpeg');
    const refused = await call('POST', '/posts', {
      body: {
        caption: 'No picture',
        channels: [{ id: channelOf(service, 'meta_instagram') }],
        publish_now: true,
      },
    });
    const tooLong = await call('POST', '/posts', {
      body: {
        caption: 'x'.repeat(2201),
        media: [{ id }],
        channels: [{ id: channelOf(service, 'meta_instagram') }],
        publish_now: true,
      },
    });

    expect(refused).toMatchObject({ status: 422, body: { error: { details: { rule: 'media_required' } } } });
    expect(tooLong).toMatchObject({
      status: 422,
      body: { error: { details: { rule: 'caption_length', limit: 2200 } } },
    });
  });
});

describe('import-posts', () => {
  it('shows what was published elsewhere, once, beside ours, and to be read only', async () => {
    const channel = await operator(
      ...['connect-channel', '--workspace', workspaceId, '--platform', 'tiktok', '--name', 'No way back'],
    );
    await expect(
      operator('import-posts', '--workspace', workspaceId, '--channel', channel.id),
    ).rejects.toThrow('cannot be read back');

    const facebook = channelOf(service, 'meta_facebook');
    const caption = `Ours ${randomUUID()}`;
    const ours = await publish({ caption, channels: [{ id: facebook }] });
    const [shown] = await published(caption);
    const elsewhere = `Theirs ${randomUUID()}`;
    await fetch(`${service.platforms_url}/facebook/v26.0/${shown?.account}/feed`, {
      method: 'POST',
      headers: { authorization: `Bearer EAA-${shown?.account}-by-hand` },
      body: new URLSearchParams({ message: elsewhere }),
    });
    const first = await operator('import-posts', '--workspace', workspaceId, '--channel', facebook);
    const second = await operator('import-posts', '--workspace', workspaceId, '--channel', facebook);

    expect(first.imported).toBeGreaterThan(0);
    expect(second).toMatchObject({ imported: 0 });
    const { body } = await call('GET', `/posts?channel_id=${facebook}&limit=100`);
    const found = body.data.filter((post: { caption: string }) =>
      [caption, elsewhere].includes(post.caption),
    );
    expect(
      Object.fromEntries(
        found.map((post: { caption: string; source: string }) => [post.caption, post.source]),
      ),
    ).toEqual({
      [elsewhere]: 'discovered',
      [caption]: 'api',
    });
    expect(found).toHaveLength(2);
    const theirs = found.find((post: { caption: string }) => post.caption === elsewhere);
    expect(theirs.channels[0].external_post_url).toContain(service.platforms_url);
    expect(ours.source).toBe('api');
    expect((await call('DELETE', `/posts/${theirs.id}`)).status).toBe(409);
    expect((await call('PATCH', `/posts/${theirs.id}`, { body: { caption: 'mine' } })).status).toBe(409);
  });
});
