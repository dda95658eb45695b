import { describe, expect, it } from 'vitest';
import { FACEBOOK_ERRORS } from '../../../functions/publishing/platforms/facebook/facebook-errors.ts';
import { INSTAGRAM_ERRORS } from '../../../functions/publishing/platforms/instagram/instagram-errors.ts';
import { graphErrorOf, graphPauses } from '../../../functions/publishing/platforms/meta/meta-dialect.ts';
import type { PlatformAnswer } from '../../../functions/publishing/platforms/platform-client.ts';

const NOW_MS = Date.UTC(2026, 10, 21);

const answer = (error?: object, headers: Record<string, string> = {}, status = 400): PlatformAnswer => ({
  outcome: 'answered',
  status,
  headers,
  body: error && { error: { message: 'what it says', type: 'OAuthException', ...error } },
});

describe('a refusal of the Graph API', () => {
  it.each([
    [190, 463, 'reconnect', 'token_expired'],
    [190, 458, 'reconnect', 'access_revoked'],
    [190, 492, 'reconnect', 'access_revoked'],
    [190, undefined, 'reconnect', 'token_expired'],
    [10, undefined, 'reconnect', undefined],
    [200, undefined, 'reconnect', undefined],
    [299, 7, 'reconnect', undefined],
    [2, undefined, 'check', undefined],
    [4, undefined, 'later', undefined],
    [368, undefined, 'later', undefined],
    [506, undefined, 'check', undefined],
    [100, undefined, 'permanent', undefined],
    [100, 33, 'retry', undefined],
    [1363128, undefined, 'permanent', undefined],
    [100, 1366046, 'permanent', undefined],
    [77, undefined, 'permanent', undefined],
  ])('%s/%s is %s for Facebook, and moves the channel by %s', (code, error_subcode, kind, event) => {
    const error = graphErrorOf(FACEBOOK_ERRORS)(answer({ code, error_subcode }), NOW_MS);

    expect(error).toMatchObject({ class: kind, code: [code, error_subcode].filter(Boolean).join('/') });
    expect(error?.event).toBe(event);
  });

  it.each([
    [4, 2207051, 'later'],
    [9, 2207042, 'later'],
    [9007, 2207027, 'retry'],
    [100, 2207052, 'retry'],
    [9004, 2207052, 'retry'],
    [36003, 2207009, 'permanent'],
    [25, 2207050, 'permanent'],
    [80002, undefined, 'later'],
  ])('%s/%s is %s for Instagram', (code, error_subcode, kind) => {
    expect(graphErrorOf(INSTAGRAM_ERRORS)(answer({ code, error_subcode }), NOW_MS)?.class).toBe(kind);
  });

  it('is judged by its status where its body says nothing we know', () => {
    const errorOf = graphErrorOf(FACEBOOK_ERRORS);

    expect(errorOf(answer(undefined, {}, 503), NOW_MS)?.class).toBe('retry');
    expect(errorOf(answer(undefined, {}, 429), NOW_MS)?.class).toBe('later');
    expect(errorOf(answer(undefined, {}, 200), NOW_MS)).toBeUndefined();
    expect(errorOf(answer({ code: 2 }, {}, 200), NOW_MS)?.class).toBe('check');
  });

  it('says when to come back, and what the platform said of content it refused', () => {
    const uses = { 'x-business-use-case-usage': '{"1":[{"estimated_time_to_regain_access":12}]}' };
    const errorOf = graphErrorOf(FACEBOOK_ERRORS);

    expect(errorOf(answer({ code: 32 }, uses), NOW_MS)?.atMs).toBe(NOW_MS + 12 * 60_000);
    expect(errorOf(answer({ code: 32 }, { 'retry-after': '90' }), NOW_MS)?.atMs).toBe(NOW_MS + 90_000);
    expect(errorOf(answer({ code: 100, error_user_msg: 'too blue' }), NOW_MS)?.text).toContain('too blue');
  });
});

describe('usage headers', () => {
  it.each([
    [{ 'x-app-usage': '{"call_count":28,"total_time":25,"total_cputime":25}' }, []],
    [{ 'x-app-usage': '{"call_count":96}' }, ['app 5']],
    [{ 'x-business-use-case-usage': '{"1":[{"type":"pages","call_count":97}]}' }, ['channel 5']],
    [
      { 'x-business-use-case-usage': '{"1":[{"call_count":100,"estimated_time_to_regain_access":30}]}' },
      ['channel 30'],
    ],
    [{ 'x-app-usage': 'nonsense', 'x-business-use-case-usage': '[]' }, []],
  ])('of %o ask for rests: %o', (headers, rests) => {
    const pauses = graphPauses(answer(undefined, headers, 200), NOW_MS);

    expect(pauses.map(({ scope, untilMs }) => `${scope} ${(untilMs - NOW_MS) / 60_000}`)).toEqual(rests);
  });
});
