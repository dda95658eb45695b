import { expect, it } from 'vitest';
import { parsedJson } from '../../../functions/publishing/platforms/platform-client.ts';
import { tiktokErrorOf } from '../../../functions/publishing/platforms/tiktok/tiktok-dialect.ts';
import { chunkAt, chunksOf } from '../../../functions/publishing/platforms/tiktok/video-chunks.ts';

const MB = 1_000_000;

it.each([
  [1, 1],
  [4_999_999, 1],
  [64 * MB, 1],
  [64 * MB + 1, 6],
  [69_999_999, 6],
  [70 * MB, 7],
  [4000 * MB, 400],
])('cuts a video of %i bytes into %i chunks of the size TikTok takes, without a gap', (size, count) => {
  const chunks = chunksOf(size);
  const ranges = Array.from({ length: chunks.total_chunk_count }, (_, index) => chunkAt(chunks, index));

  expect(chunks.total_chunk_count).toBe(count);
  expect(ranges[0]?.start).toBe(0);
  expect(ranges.at(-1)?.end).toBe(size);
  ranges.slice(1).forEach(({ start }, index) => {
    expect(start).toBe(ranges[index]?.end);
  });
  for (const { start, end } of count > 1 ? ranges : []) {
    expect(end - start).toBeGreaterThanOrEqual(5 * MB);
    expect(end - start).toBeLessThanOrEqual(end === size ? 128 * MB : 64 * MB);
  }
});

it('keeps an id of 19 digits to the digit', () => {
  expect(parsedJson('{"ids":[7412345678900000001,7]}')).toEqual({ ids: ['7412345678900000001', 7] });
});

it.each([
  ['ok', 200, undefined],
  ['access_token_invalid', 401, 'reconnect'],
  ['spam_risk_too_many_posts', 200, 'later'],
  ['rate_limit_exceeded', 429, 'later'],
  ['spam_risk_user_banned_from_posting', 200, 'permanent'],
  ['internal_error', 500, 'retry'],
  ['a_code_of_tomorrow', 400, 'permanent'],
  ['a_code_of_tomorrow', 500, 'retry'],
])('takes the code %s with status %i for %s', (code, status, kind) => {
  const answer = {
    outcome: 'answered',
    headers: {},
    status,
    body: { error: { code, message: '' } },
  } as const;
  expect(tiktokErrorOf(answer)?.class).toBe(kind);
});
