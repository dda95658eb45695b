import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type CursorScope, openCursor, sealCursor } from '../../functions/shared/lists/cursor.ts';

const NOW = Date.parse('2026-05-01T09:00:00Z');
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const scope: CursorScope = {
  workspaceId: 'ws-1',
  cursorKey: randomBytes(32).toString('base64url'),
  endpoint: '/posts',
  filters: { status: 'draft', before: 5 },
};
const place = '0199a0e0-0000-7000-8000-000000000000';
const cursor = await sealCursor(place, scope, NOW);
const refused = expect.objectContaining({
  code: 'invalid_request',
  message: expect.stringContaining('query.cursor'),
});
const opened = (text: string, of: CursorScope = scope, nowMs = NOW) =>
  openCursor(text, of, nowMs).catch((error: unknown) => error);

describe('a cursor', () => {
  it('leads back to its place', async () => {
    expect(await opened(cursor)).toBe(place);
  });

  it('does not show the place, and is never twice the same', async () => {
    expect(Buffer.from(cursor.replaceAll('.', ''), 'base64url').toString('latin1')).not.toContain(place);
    expect(await sealCursor(place, scope, NOW)).not.toBe(cursor);
  });

  it('fits into a URL', () => {
    expect(cursor).toMatch(/^[\w.-]{100,500}$/);
  });

  it('is refused with any one bit changed', async () => {
    const bytes = Buffer.from(cursor, 'latin1');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await opened(changed.toString('latin1')), `bit ${bit}`).toEqual(refused);
    }
  });

  it('is refused when cut off anywhere, at either end', async () => {
    for (let length = 0; length < cursor.length; length += 1) {
      expect(await opened(cursor.slice(0, length))).toEqual(refused);
      expect(await opened(cursor.slice(length + 1))).toEqual(refused);
    }
  });

  it.each([
    ['another workspace', { workspaceId: 'ws-2' }],
    ['another workspace with its own key', { cursorKey: randomBytes(32).toString('base64url') }],
    ['another list', { endpoint: '/media' }],
    ['another filter', { filters: { status: 'queued', before: 5 } }],
    ['one filter less', { filters: { status: 'draft' } }],
    ['one filter more', { filters: { status: 'draft', before: 5, after: 1 } }],
  ])('is refused for %s', async (_, changed) => {
    expect(await opened(cursor, { ...scope, ...changed })).toEqual(refused);
  });

  it('does not mind the order of filters, nor filters that are not set', async () => {
    const filters = { before: 5, status: 'draft', after: undefined };

    expect(await opened(cursor, { ...scope, filters })).toBe(place);
  });

  it('is valid for a week', async () => {
    expect(await opened(cursor, scope, NOW + WEEK_MS - 1)).toBe(place);
    expect(await opened(cursor, scope, NOW + WEEK_MS)).toEqual(refused);
  });

  it.each([
    ['nothing', ''],
    ['dots', '....'],
    ['words', 'next please'],
    ['10 KB of letters', 'a'.repeat(10_240)],
    ['10 KB of dots', '.'.repeat(10_240)],
    ['white space around it', ` ${cursor}`],
    ['padding', `${cursor}=`],
    ['no encryption', `${Buffer.from('{"alg":"none"}').toString('base64url')}..x.x.x`],
    [
      'a compressed one',
      `${Buffer.from('{"alg":"dir","enc":"A256GCM","zip":"DEF"}').toString('base64url')}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`,
    ],
    [
      'an unknown extension',
      `${Buffer.from('{"alg":"dir","enc":"A256GCM","crit":["x"],"x":1}').toString('base64url')}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`,
    ],
    [
      'a header that is no object',
      `${Buffer.from('null').toString('base64url')}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`,
    ],
    ['other characters', 'ä.ö.ü.😀.\0'],
  ])('is not %s', async (_, text) => {
    expect(await opened(text)).toEqual(refused);
  });
});
