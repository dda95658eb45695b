import { beforeEach, describe, expect, it, vi } from 'vitest';
import { withJitter } from '../../functions/shared/table/with-jitter.ts';

const sleep = vi.hoisted(() => vi.fn(async (_ms: number) => {}));
vi.mock('node:timers/promises', () => ({ setTimeout: sleep }));
beforeEach(() => sleep.mockClear());

const exhausted = () => new Error('exhausted');
const waits = () => sleep.mock.calls.map(([ms]) => ms);

describe('withJitter', () => {
  it('does not wait for what succeeds', async () => {
    expect(await withJitter(exhausted, async () => 'done')).toBe('done');
    expect(waits()).toEqual([]);
  });

  it('doubles the longest wait up to 400 ms, over eight tries, and does not wait after the last', async () => {
    const attempt = vi.fn(async () => 'try again' as const);

    await expect(withJitter(exhausted, attempt, () => 1)).rejects.toThrow('exhausted');

    expect(attempt).toHaveBeenCalledTimes(8);
    expect(waits()).toEqual([20, 40, 80, 160, 320, 400, 400]);
  });

  it('waits any part of it, so that the losers of a race do not meet again', async () => {
    const attempt = vi
      .fn()
      .mockResolvedValueOnce('try again')
      .mockResolvedValueOnce('try again')
      .mockResolvedValue(7);

    expect(await withJitter(exhausted, attempt, () => 0.25)).toBe(7);
    expect(waits()).toEqual([5, 10]);
  });

  it('lets failures through at once', async () => {
    const attempt = vi.fn(async () => Promise.reject(new TypeError('a bug')));

    await expect(withJitter(exhausted, attempt)).rejects.toThrow(TypeError);
    expect(attempt).toHaveBeenCalledOnce();
  });
});
