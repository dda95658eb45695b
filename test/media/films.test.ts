import { describe, expect, it } from 'vitest';
import { readFilm } from '../../functions/media/films.ts';
import { UnusableFile } from '../../functions/media/images.ts';
import { film } from './samples.ts';

const read = (file: Buffer) =>
  readFilm({ bytes: file.length, read: async (start, end) => file.subarray(start, end) });

describe('a film', () => {
  it.each(['mp4', 'mov', 'webm'] as const)(
    'in %s is measured, and shown by some of its frames',
    async (container) => {
      const { width, height, durationMs, thumbnails, posters } = await read(await film(container));

      expect({ width, height, durationMs }).toEqual({ width: 64, height: 36, durationMs: 1000 });
      expect(thumbnails.display).toMatchObject({ mime: 'image/jpeg', width: 64, height: 36 });
      expect(posters).toHaveLength(3);
    },
  );

  it('that was taken upright is higher than wide', async () => {
    const { width, height, thumbnails } = await read(await film('mp4', { rotation: 90 }));

    expect({ width, height }).toEqual({ width: 36, height: 64 });
    expect(thumbnails.display).toMatchObject({ width: 36, height: 64 });
  });

  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ['a playlist', () => Buffer.from('#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['a script of files', () => Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n")],
    ['nothing', () => Buffer.from('x')],
    ['half a film', async () => (await film('mp4')).subarray(0, 600)],
  ])('is unusable if it is %s', async (_, file) => {
    await expect(read(await file())).rejects.toThrow(UnusableFile);
  });

  it('is not to blame when storage fails', async () => {
    const outage = Object.assign(new Error('SlowDown'), { $metadata: {} });

    await expect(readFilm({ bytes: 10_000, read: () => Promise.reject(outage) })).rejects.toBe(outage);
  });
});
