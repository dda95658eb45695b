import { describe, expect, it } from 'vitest';
import { firstIdAt, newId } from '../../functions/shared/ids.ts';

const NOW = Date.parse('2026-05-01T09:00:00.123Z');

describe('ids', () => {
  it('are UUIDs of version 7 that tell their millisecond', () => {
    const id = newId(NOW);

    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(NOW);
  });

  it('are never twice the same', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newId(NOW))).size).toBe(1000);
  });

  it('sort by their time, and around the first id of a millisecond', () => {
    const [before, at, after] = [newId(NOW - 1), newId(NOW), newId(NOW + 1)];

    expect([after, at, before].sort()).toEqual([before, at, after]);
    expect(before < firstIdAt(NOW)).toBe(true);
    expect(at >= firstIdAt(NOW)).toBe(true);
    expect(after > firstIdAt(NOW)).toBe(true);
  });

  it('have first ids for the ends of time', () => {
    expect(firstIdAt(-1)).toBe('00000000-0000-0000-0000-000000000000');
    expect(firstIdAt(2 ** 60)).toBe('ffffffff-ffff-0000-0000-000000000000');
  });
});
