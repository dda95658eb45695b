import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type Call, runningService } from './client.ts';
import { inAnHour, newDraft } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const { call: anyone } = runningService();
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace(operatorOf(inject('stateDirectory')));
});
const call: Call = (method, path, options) => anyone(method, path, { key: workspace.key, ...options });
const webhook = () => [{ id: workspace.channels.custom_webhook }];
const draft = (body?: object) => newDraft({ workspace, call }, body);

describe('creating a post', () => {
  it('saves a draft when nothing says when it goes out', async () => {
    const media = await workspace.newMedia('image');
    const body = { caption: 'Hello', channels: webhook(), media: [{ id: media }] };

    const { status, body: post } = await call('POST', '/posts', { body });

    expect(status).toBe(202);
    expect(post).toMatchObject({
      status: 'draft',
      caption: 'Hello',
      media_ids: [media],
      scheduled_for: null,
      review_url: expect.stringContaining(post.id),
      meta: { note: expect.stringContaining('draft') },
      channels: [
        { channel_id: workspace.channels.custom_webhook, platform: 'custom_webhook', status: 'pending' },
      ],
    });
    const { body: read } = await call('GET', `/posts/${post.id}`);
    expect(read).toEqual({ ...post, meta: {} });
  });

  it('queues it for its time, in whatever zone that is given', async () => {
    const time = new Date(Date.now() + 3_600_000);
    const inBerlin = `${new Date(time.getTime() + 7_200_000).toISOString().slice(0, 19)}+02:00`;
    const body = { caption: 'Later', channels: webhook(), scheduled_for: inBerlin };

    const { status, body: post } = await call('POST', '/posts', { body });

    expect(status).toBe(202);
    expect(post).toMatchObject({
      status: 'queued',
      scheduled_for: `${time.toISOString().slice(0, 19)}.000Z`,
    });
  });

  it('queues it at once with publish_now', async () => {
    const body = { caption: 'Now', channels: webhook(), publish_now: true };

    expect(await call('POST', '/posts', { body })).toMatchObject({
      status: 202,
      body: { status: 'queued', scheduled_for: null },
    });
  });

  it('keeps channels in the order they were given, with their options', async () => {
    const { youtube, meta_facebook, tiktok } = workspace.channels;
    const channels = [
      { id: tiktok, options: { privacy_level: 'SELF_ONLY', disable_duet: true } },
      { id: meta_facebook },
      { id: youtube, title: 'A title', description: '', options: { tags: ['a', 'b'], category_id: '22' } },
    ];

    const { body: post } = await call('POST', '/drafts', { body: { caption: 'x', channels } });

    expect(post.channels).toMatchObject(
      channels.map(({ id, options }) => ({
        channel_id: id,
        options: options ?? null,
        external_post_id: null,
      })),
    );
  });
});

describe('editing a draft', () => {
  it('replaces what is sent, and keeps what is not', async () => {
    const media = await workspace.newMedia('image');
    const id = await draft({ media: [{ id: media }] });
    const { meta_facebook } = workspace.channels;

    const edited = await call('PATCH', `/posts/${id}`, {
      body: { caption: 'new', channels: [{ id: meta_facebook, options: { share_to_story: true } }] },
    });

    expect(edited.status).toBe(200);
    expect(edited.body).toMatchObject({ status: 'draft', caption: 'new', media_ids: [media] });
    expect(edited.body.channels).toMatchObject([
      { channel_id: meta_facebook, options: { share_to_story: true } },
    ]);
    expect((await call('GET', `/posts/${id}`)).body).toEqual(edited.body);
    expect((await call('PATCH', `/posts/${id}`, { body: { media: [] } })).body).toMatchObject({
      media_ids: [],
      caption: 'new',
    });
  });

  it('keeps the id of a target whose channel stays', async () => {
    const id = await draft();
    const { body: before } = await call('GET', `/posts/${id}`);
    const channels = [...webhook(), { id: workspace.channels.meta_facebook }];

    const { body: after } = await call('PATCH', `/posts/${id}`, { body: { channels } });

    expect(after.channels[0].id).toBe(before.channels[0].id);
    expect(after.channels).toHaveLength(2);
  });

  it.each([
    ['scheduled_for', () => ({ scheduled_for: inAnHour() })],
    ['publish_now', () => ({ publish_now: true })],
  ])('publishes it with %s', async (_, body) => {
    const id = await draft();

    expect(await call('PATCH', `/posts/${id}`, { body: body() })).toMatchObject({
      status: 200,
      body: { id, status: 'queued' },
    });
  });

  it('needs at least one field, and refuses unpublishable content', async () => {
    const id = await draft({ channels: [{ id: workspace.channels.meta_instagram }] });

    expect((await call('PATCH', `/posts/${id}`, { body: {} })).status).toBe(400);
    expect((await call('PATCH', `/posts/${id}`, { body: { publish_now: false } })).status).toBe(200);
    expect((await call('PATCH', `/posts/${id}`, { body: { channels: [] } })).status).toBe(400);
    const refused = await call('PATCH', `/posts/${id}`, { body: { publish_now: true } });
    expect(refused).toMatchObject({ status: 422, body: { error: { details: { rule: 'media_required' } } } });
    const both = { publish_now: true, scheduled_for: inAnHour() };
    expect((await call('PATCH', `/posts/${id}`, { body: both })).status).toBe(422);
    expect((await call('GET', `/posts/${id}`)).body.status).toBe('draft');
  });

  it('is refused once the post is scheduled, until it is unscheduled', async () => {
    const id = await draft();
    await call('PATCH', `/posts/${id}`, { body: { scheduled_for: inAnHour() } });

    const refused = await call('PATCH', `/posts/${id}`, { body: { caption: 'too late' } });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });

    await call('DELETE', `/posts/${id}`);
    expect((await call('PATCH', `/posts/${id}`, { body: { caption: 'in time' } })).status).toBe(200);
  });
});

describe('deleting a post', () => {
  it('removes a draft for good', async () => {
    const id = await draft();

    expect(await call('DELETE', `/posts/${id}`)).toMatchObject({
      status: 200,
      body: { id, action: 'deleted', deleted: true, previous_status: 'draft' },
    });
    expect((await call('GET', `/posts/${id}`)).status).toBe(404);
    expect((await call('DELETE', `/posts/${id}`)).status).toBe(404);
  });

  it('turns a queued post back into a draft, which can be scheduled again', async () => {
    const id = await draft();
    await call('PATCH', `/posts/${id}`, { body: { scheduled_for: inAnHour() } });

    expect(await call('DELETE', `/posts/${id}`)).toMatchObject({
      status: 200,
      body: { id, action: 'unscheduled', deleted: false, previous_status: 'queued' },
    });
    expect((await call('GET', `/posts/${id}`)).body).toMatchObject({ status: 'draft', scheduled_for: null });
    expect((await call('PATCH', `/posts/${id}`, { body: { scheduled_for: inAnHour() } })).status).toBe(200);
  });
});

describe('publish history', () => {
  it.each([
    { status: 'posting' },
    { status: 'partial' },
    { status: 'posted' },
    { status: 'failed' },
    { source: 'discovered' },
    { source: 'discovered', status: 'queued' },
  ])('cannot be changed: %o', async (attributes) => {
    const id = await draft();
    await workspace.changePost(id, attributes);

    for (const [method, body] of [
      ['PATCH', { caption: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await call(method, `/posts/${id}`, { body });
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    }
    expect((await call('GET', `/posts/${id}`)).body).toMatchObject(attributes);
  });
});

describe('what is not there', () => {
  it.each([
    ['GET', '/posts/{id}', undefined],
    ['PATCH', '/posts/{id}', { caption: 'x' }],
    ['DELETE', '/posts/{id}', undefined],
    ['GET', '/posts/{id}/attempts', undefined],
  ])('%s %s answers 404 for any id that is none', async (method, path, body) => {
    for (const id of [randomUUID(), 'nothing', '%20', `${randomUUID()}%23TARGET`, 'x'.repeat(500)]) {
      const answer = await call(method, path.replace('{id}', id), { body });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
  });

  it.each(['GET /nothing', 'PUT /posts', 'POST /channels', 'DELETE /posts', 'GET /posts/'])(
    'is said of the unknown route %s',
    async (route) => {
      const [method = '', path = ''] = route.split(' ');

      const { status, body } = await call(method, path);

      expect(status).toBe(404);
      expect(body.error).toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('openapi.json'),
      });
    },
  );
});
