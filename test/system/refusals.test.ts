import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { Platform } from '../../functions/channels/platform.ts';
import { type Call, runningService } from './client.ts';
import { inAnHour } from './sample-requests.ts';
import { newWorkspace, operatorOf, type TestWorkspace } from './test-workspace.ts';

const { call: anyone, service } = runningService();
let workspace: TestWorkspace;
let media: Readonly<Record<'image' | 'video', string>>;
beforeAll(async () => {
  workspace = await newWorkspace(operatorOf(inject('stateDirectory')));
  media = { image: await workspace.newMedia('image'), video: await workspace.newMedia('video') };
});
const call: Call = (method, path, options) => anyone(method, path, { key: workspace.key, ...options });
const on = (platform: Platform, more: object = {}) => [{ id: workspace.channels[platform], ...more }];
const drafted = (body: object) =>
  call('POST', '/drafts', { body: { caption: 'x', channels: on('custom_webhook'), ...body } });

describe('a refusal with 422', () => {
  const theirs = () => service.workspaces[1]?.channels[0]?.id ?? '';
  const tiktok = { commercial_content: true, brand_content_toggle: false };

  it.each<[string, () => object, readonly string[]]>([
    ['a channel named twice', () => ({ channels: twice(on('youtube')) }), ['channels.1.id']],
    [
      'a channel named twice in another case',
      () => ({ channels: [...on('youtube'), { id: workspace.channels.youtube.toUpperCase() }] }),
      ['channels.1.id'],
    ],
    [
      'channels that are not there',
      () => ({ channels: [{ id: theirs() }, ...on('youtube'), { id: randomUUID() }] }),
      ['channels.0.id', 'channels.2.id'],
    ],
    [
      'media that are not there',
      () => ({ media: [{ id: randomUUID() }, { id: media.image }, { id: randomUUID() }] }),
      ['media.0.id', 'media.2.id'],
    ],
    [
      'options of other platforms, and some that disagree',
      () => ({ channels: [...on('youtube', { options: tiktok }), ...on('tiktok', { options: tiktok })] }),
      [
        'channels.0.options.commercial_content',
        'channels.0.options.brand_content_toggle',
        'channels.1.options.commercial_content',
      ],
    ],
    ['a draft with a time', () => ({ scheduled_for: inAnHour() }), ['scheduled_for']],
    [
      'a draft with both',
      () => ({ scheduled_for: inAnHour(), publish_now: true }),
      ['scheduled_for', 'publish_now'],
    ],
  ])('says of a draft where: %s', async (_, body, paths) => {
    const { status, body: answer } = await drafted(body());

    expect(status).toBe(422);
    const { message, details } = answer.error;
    expect(details.issues.map(({ path }: { path: string }) => path)).toEqual(
      paths.map((path) => `body.${path}`),
    );
    expect([details.path, message]).toEqual([details.issues[0].path, details.issues[0].message]);
  });

  it('takes one file twice, in a draft and to be published', async () => {
    const attached = { media: [media.image, media.image.toUpperCase()].map((id) => ({ id })) };
    const answers = [
      await drafted(attached),
      await call('POST', '/posts', {
        body: { caption: 'x', channels: on('custom_webhook'), publish_now: true, ...attached },
      }),
    ];

    for (const { status, body } of answers) {
      expect([status, body.media_ids]).toEqual([202, [media.image, media.image]]);
    }
  });

  it.each([
    ['both at its time and now', { scheduled_for: '2030-01-01T00:00:00Z', publish_now: true }],
    ['too early', { scheduled_for: '2020-01-01T00:00:00Z' }],
    ['too late', { scheduled_for: '9999-01-01T00:00:00Z' }],
  ])('says of a post where: %s', async (_, timing) => {
    const { status, body } = await call('POST', '/posts', {
      body: { caption: 'x', channels: on('custom_webhook'), ...timing },
    });

    expect(status).toBe(422);
    expect(body.error.details.path).toBe('body.scheduled_for');
  });
});

const twice = <T>(items: readonly T[]): T[] => [...items, ...items];

describe('a filter that would be overlooked', () => {
  it.each([
    ['/posts?stauts=draft', 'query.stauts', 'takes status, scheduled, channel_id, before, after'],
    ['/posts?status=draft&status=queued', 'query.status', 'send it once'],
    ['/posts?before=2026-05-01T09:00:00+02:00', 'query.before', 'write + as %2B'],
    ['/media?status=draft', 'query.status', 'takes kind, limit, cursor'],
    ['/channels?limit=5', 'query.limit', 'takes none'],
    ['/workspaces?id=5', 'query.id', 'takes none'],
  ])('is refused: GET %s', async (path, place, message) => {
    const { status, body } = await call('GET', path);

    expect(status).toBe(400);
    expect(body.error.details.issues).toEqual([{ path: place, message: expect.stringContaining(message) }]);
  });
});

describe('a body that is no plain JSON', () => {
  it.each([
    ['compressed', Buffer.from('{}'), { 'content-encoding': 'gzip' }, 'header.Content-Encoding'],
    ['compressed, though nothing says so', gzipSync('{}'), {}, 'is not text in UTF-8, uncompressed'],
    [
      'a form',
      'caption=x',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'it came as application/',
    ],
    ['no body', '', {}, 'body is empty; send a JSON object'],
  ])('is told what to send: %s', async (_, body, headers, message) => {
    const response = await fetch(`${service.base_url}/drafts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.key}`, 'idempotency-key': randomUUID(), ...headers },
      body: new Uint8Array(Buffer.from(body)),
    });

    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message);
  });

  it('is taken for what it is, whatever type a client that was told none gives it', async () => {
    for (const type of [
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'application/json',
    ]) {
      const body = { caption: 'x', channels: on('custom_webhook') };
      const answer = await call('POST', '/drafts', { body, headers: { 'content-type': type } });
      expect(answer.status).toBe(202);
    }
  });
});
