import { randomUUID } from 'node:crypto';
import type { Call } from './client.ts';
import type { TestWorkspace } from './test-workspace.ts';

/** A request that succeeds. */
export interface Sample {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** What is done before the request so that this status comes, where it is not the same as elsewhere. */
  readonly before?: Readonly<Record<string, () => Promise<unknown>>>;
}

interface Maker {
  readonly workspace: TestWorkspace;
  readonly call: Call;
  readonly edgeUrl: string;
}

const BRAND = { voice: 'warm and short', sign_off: 'Yours, the bakery' };

/** A new draft of a workspace; its id. */
export async function newDraft(
  { workspace, call }: Pick<Maker, 'workspace' | 'call'>,
  body: object = {},
): Promise<string> {
  const { body: post } = await call('POST', '/drafts', {
    key: workspace.key,
    body: { caption: 'a draft', channels: [{ id: workspace.channels.custom_webhook }], ...body },
  });
  return post.id;
}

/** In an hour: far enough to be scheduled, too far to go out while a test runs. */
export const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** The smallest PNG there is: one transparent pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const UPLOAD = { filename: 'pixel.png', content_type: 'image/png', size: PIXEL.length };

/** Sends a file where it is asked to be sent; the key to register it by. */
export async function upload({ workspace, call }: Pick<Maker, 'workspace' | 'call'>): Promise<string> {
  const { body } = await call('POST', '/media/upload-url', { key: workspace.key, body: UPLOAD });
  await fetch(body.upload_url, {
    method: 'PUT',
    body: PIXEL,
    headers: { 'content-type': UPLOAD.content_type },
  });
  return body.key;
}

const composed = ({ channels }: TestWorkspace) => ({
  caption: `sample ${randomUUID()}`,
  channels: [{ id: channels.custom_webhook }],
});

/** For each operation a request that succeeds; a new operation needs one here. */
export const SAMPLES: Readonly<Record<string, (maker: Maker) => Promise<Sample>>> = {
  'POST /posts': async ({ workspace }) => ({
    path: '/posts',
    body: { ...composed(workspace), scheduled_for: inAnHour() },
  }),
  'POST /drafts': async ({ workspace }) => ({ path: '/drafts', body: composed(workspace) }),
  'GET /posts': async () => ({ path: '/posts' }),
  'GET /posts/{id}': async (maker) => ({ path: `/posts/${await newDraft(maker)}` }),
  'PATCH /posts/{id}': async (maker) => ({
    path: `/posts/${await newDraft(maker)}`,
    body: { scheduled_for: inAnHour() },
  }),
  'DELETE /posts/{id}': async (maker) => ({ path: `/posts/${await newDraft(maker)}` }),
  'GET /posts/{id}/attempts': async (maker) => ({ path: `/posts/${await newDraft(maker)}/attempts` }),
  'POST /media/upload-url': async () => ({ path: '/media/upload-url', body: UPLOAD }),
  'POST /media': async (maker) => ({ path: '/media', body: { key: await upload(maker) } }),
  'GET /media': async () => ({ path: '/media?kind=image' }),
  'GET /media/{id}': async ({ workspace }) => ({ path: `/media/${await workspace.newMedia('image')}` }),
  'POST /captions/tailor': async ({ workspace, edgeUrl }) => {
    const caption = `sample ${randomUUID()}`;
    await workspace.setBrandKit(BRAND);
    const script = [{ reply: 'garbage', caption_includes: caption }];
    return {
      path: '/captions/tailor',
      body: { caption, platforms: ['youtube', 'tiktok'] },
      before: {
        '402': () => workspace.setLimits({ ai_budget_cents: 0 }),
        '404': () => workspace.setBrandKit(null),
        '502': () => fetch(`${edgeUrl}/__edge/model`, { method: 'POST', body: JSON.stringify(script) }),
      },
    };
  },
  'GET /channels': async () => ({ path: '/channels' }),
  'GET /workspaces': async () => ({ path: '/workspaces' }),
};
