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

  it.each<[string, MediaReference[], string]>([
    ['id', [{ id: '1' }, { id: '2' }, { id: '1' }], 'id'],
    ['URL', [{ url: A }, { id: '2' }, { url: A }], 'url'],
  ])('are refused where one %s is named twice, at both places', (_, media, field) => {
    expect(() => attach(...media)).toThrow(
      expect.objectContaining({
        code: 'unprocessable',
        message: 'media.2 is the same as media.0; attach each file once',
        details: expect.objectContaining({
          path: `body.media.2.${field}`,
          same_as: `body.media.0.${field}`,
        }),
      }),
    );
  });
});
