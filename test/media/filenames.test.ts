import { describe, expect, it } from 'vitest';
import { filenameOf } from '../../functions/media/filename.ts';
import { filenameIn } from '../../functions/media/take-url.ts';
import { deliveryBody } from '../../functions/publishing/platforms/webhook/delivery-body.ts';
import { tableUnderTest } from '../table-under-test.ts';
import { readAsForm } from './forms.ts';
import { mediaService } from './media-service.ts';
import { image } from './samples.ts';

const under = tableUnderTest();

/** What a sender may call a file, and the name it keeps. */
const NAMES: readonly (readonly [given: string, kept: string | null])[] = [
  ['../../etc/passwd.jpg', 'passwd.jpg'],
  ['C:\\Users\\me\\loaf.jpg', 'loaf.jpg'],
  ['a\r\nSet-Cookie: x=1\r\n.jpg', 'aSet-Cookie: x=1.jpg'],
  ['nul\0and\x1bescape\x7f.png', 'nulandescape.png'],
  ['say "cheese".jpg', 'say "cheese".jpg'],
  ['photo\u202egpj.exe', 'photogpj.exe'],
  ['line\u2028break\u2066.png', 'linebreak.png'],
  ['half\ud83d.png', 'half.png'],
  ['cafe\u0301 漢字 👩‍👩‍👧.png', 'caf\u00e9 漢字 👩‍👩‍👧.png'],
  ['🍞'.repeat(10_000), '🍞'.repeat(255)],
  ['  spaced.jpg ', 'spaced.jpg'],
  ['..', null],
  ['dir/', null],
  ['\u202e \0', null],
];

describe('the name of a file', () => {
  it.each(NAMES)('given as %j is kept as %j, and then stays as it is', (given, kept) => {
    expect(filenameOf(given)).toBe(kept);
    expect(filenameOf(kept)).toBe(kept);
  });

  it('is the same from a form, an upload and a URL, and is shown with the media', async () => {
    const media = await mediaService(under.table);
    const content = await image('jpeg');
    for (const [given, kept] of NAMES.filter(([name]) => name.length <= 255 && name.isWellFormed())) {
      const { key } = await media.uploadUrl({
        filename: given,
        content_type: 'image/jpeg',
        size: content.length,
      });
      media.objects.put(key, content);
      const { body } = await media.create({ key });
      expect(body.filename, given).toBe(kept);
      expect((await media.media.find(media.workspaceId, body.id))?.filename).toBe(kept);
      expect(filenameIn(`https://files.example.com/a/${encodeURIComponent(given)}?x=/y`), given).toBe(kept);
    }
    for (const name of ['../a\\..\\b\u202e.jpg', 'cafe\u0301.jpg', '🍞'.repeat(400)]) {
      expect((await readAsForm(content, { filename: name })).filename).toBe(filenameOf(name));
    }
  });

  it('names no object, neither in its key nor in what is stored with it', async () => {
    const media = await mediaService(under.table);
    const content = await image('jpeg');

    await media.create({ filename: 'tell-tale.jpg', declared: undefined, content });

    expect([...media.objects.stored.keys()].join()).not.toContain('tell-tale');
  });

  it('stands whole in a webhook’s meta, and in its part’s head without a character that ends it', async () => {
    const chunks: Uint8Array[] = [];
    const media = NAMES.flatMap(([, kept]) =>
      kept === null
        ? []
        : [{ filename: kept, contentType: 'image/png', size: 0, open: async function* () {} }],
    );
    const meta = { jobId: 'j', caption: '', scheduledAt: '2026-01-01T00:00:00Z' };

    for await (const chunk of deliveryBody({ boundary: 'b'.repeat(20), meta, media }).open())
      chunks.push(chunk);

    const sent = Buffer.concat(chunks).toString();
    const told = JSON.parse(/\{"jobId".*\}/.exec(sent)?.[0] ?? '').media;
    expect(told.map(({ filename }: { filename: string }) => filename)).toEqual(
      media.map(({ filename }) => filename),
    );
    const heads = [...sent.matchAll(/name="media\[\d+\]"; filename="([^"\r\n]*)"\r\nContent-Type/g)];
    expect(heads.map(([, name]) => name)).toEqual(
      media.map(({ filename }) => filename.replaceAll('"', '%22')),
    );
  });
});
