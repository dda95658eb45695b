import { describe, expect, it } from 'vitest';
import type { ArrivingFile } from '../../functions/media/new-media.ts';
import { attachMedia } from '../../functions/posts/attached-media.ts';
import type { MediaReference } from '../../functions/posts/post-request.ts';

const [A, B] = ['https://example.com/a.png', 'https://example.com/b.png'];
const file: ArrivingFile = {
  outcome: 'arriving',
  type: { mime: 'image/png', kind: 'image', extension: 'png', aliases: [] },
  bytes: 1,
  filename: null,
  sourceUrl: A,
  objectKey: 'media/x',
};

const attach = (...media: MediaReference[]) =>
  attachMedia(media, new Map(media.flatMap(({ url }, index) => (url ? [[index, file] as const] : []))), {
    workspaceId: 'ws-1',
    found: () => undefined,
    nowMs: 0,
    newId: () => 'new',
  });

describe('the media of a request', () => {
  it('keep their order, those at URLs with new ids', () => {
    expect(attach({ id: '1' }, { url: A }, { url: B }, { id: '2' }).ids).toEqual(['1', 'new', 'new', '2']);
  });

  it('may be the same file twice, which the interface does not forbid', () => {
    expect(attach({ id: '1' }, { id: '1' }).ids).toEqual(['1', '1']);
  });
});
