import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { CaptionModel } from '../../functions/captions/caption-model.ts';
import { TailorCaptionsRequest, tailorCaptions } from '../../functions/captions/tailor-captions.ts';
import { PLATFORMS, type Platform, rulesOf } from '../../functions/channels/platform.ts';
import {
  answer,
  askedIn,
  CALL_COSTS,
  memoryAccounts,
  PRICES,
  scriptedModel,
  writing,
  written,
} from './scripted-model.ts';

const BASE = 'Rye bread, fresh at seven.';

const tailor = (
  platforms: readonly Platform[],
  model: CaptionModel,
  { accounts = memoryAccounts(), caption = BASE, clock = (): number => 0 } = {},
) =>
  tailorCaptions(
    { caller: { workspaceId: 'w' }, body: { caption, platforms: [...platforms] } },
    { ...accounts, model, prices: PRICES, clock },
  );

describe('tailoring captions', () => {
  it('answers one variant for each platform, in the order asked, whatever the order of the model', async () => {
    const backwards = scriptedModel((request) =>
      answer({
        variants: askedIn(request)
          .map(({ platform }) => written(platform))
          .reverse(),
      }),
    );

    const { variants } = await tailor(PLATFORMS, backwards.model);

    expect(variants.map(({ platform }) => platform)).toEqual([...PLATFORMS]);
    for (const { platform, caption, character_limit, tailored } of variants) {
      expect({ caption, character_limit, tailored }).toEqual({
        caption: `for ${platform}`,
        character_limit: rulesOf(platform).caption.limit,
        tailored: true,
      });
    }
    expect(backwards.requests).toHaveLength(1);
  });

  it('gives YouTube a title, and a description equal to the caption; nothing else has them', async () => {
    const { variants } = await tailor(['youtube', 'tiktok'], scriptedModel().model);

    expect(variants[0]).toMatchObject({
      title: 'A title',
      caption: 'for youtube',
      description: 'for youtube',
    });
    expect(Object.keys(variants[1] ?? {})).toEqual(['platform', 'caption', 'character_limit', 'tailored']);
  });

  it.each<[string, Partial<ReturnType<typeof written>> & { platform: Platform }]>([
    ['over 2,200 UTF-16 units on TikTok', { platform: 'tiktok', caption: '🥖'.repeat(1101) }],
    ['over 2,200 characters on Instagram', { platform: 'meta_instagram', caption: '🥖'.repeat(2201) }],
    ['over 3,000 characters on LinkedIn', { platform: 'linkedin_company', caption: 'x'.repeat(3001) }],
    ['over 5,000 bytes on YouTube', { platform: 'youtube', caption: 'ü'.repeat(2501) }],
    ['over what our own requests take', { platform: 'meta_facebook', caption: 'x'.repeat(5001) }],
    ['with a title of over 100 characters', { platform: 'youtube', title: 'x'.repeat(101) }],
    ['with angle brackets on YouTube', { platform: 'youtube', caption: 'a > b' }],
    ['without a title on YouTube', { platform: 'youtube', title: ' ' }],
    ['of white space', { platform: 'custom_webhook', caption: ' \n' }],
    ['with half a character', { platform: 'custom_webhook', caption: 'a\ud83e' }],
  ])('asks once more for a variant %s, and for no other', async (_, bad) => {
    const model = scriptedModel(writing(bad));
    const other = bad.platform === 'tiktok' ? 'custom_webhook' : 'tiktok';

    const { variants } = await tailor([other, bad.platform], model.model);

    expect(model.requests.map((request) => askedIn(request).map(({ platform }) => platform))).toEqual([
      [other, bad.platform],
      [bad.platform],
    ]);
    expect(askedIn(model.requests[1] ?? expect.fail())[0]?.problem).toBeTypeOf('string');
    expect(variants.map(({ tailored }) => tailored)).toEqual([true, true]);
  });

  it.each<[Platform, string]>([
    ['tiktok', '🥖'.repeat(1100)],
    ['meta_instagram', '🥖'.repeat(2200)],
    ['youtube', 'ü'.repeat(2500)],
    ['meta_facebook', '🥖'.repeat(5000)],
  ])('takes a variant that just fits %s', async (platform, caption) => {
    const model = scriptedModel(writing({ platform, caption }));

    const { variants } = await tailor([platform], model.model);

    expect(variants[0]).toMatchObject({ caption, tailored: true });
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ['skips', { platform: 'youtube' }],
    ['overruns', { platform: 'youtube', caption: 'x'.repeat(5001) }],
  ])('returns the base caption unchanged where the model %s twice', async (_, bad) => {
    const model = scriptedModel(writing(bad), writing(bad));
    const caption = `<3 ${'long '.repeat(60)}`;

    const { variants } = await tailor(['tiktok', 'youtube'], model.model, { caption });

    expect(variants.map(({ tailored }) => tailored)).toEqual([true, false]);
    expect(variants[1]).toMatchObject({
      caption,
      description: caption,
      title: expect.stringMatching(/^3 long/),
    });
    expect([...(variants[1]?.title ?? '')].length).toBeLessThanOrEqual(100);
    expect(model.requests).toHaveLength(2);
  });

  it('returns even a base caption that is too long for its platform, as the contract says', async () => {
    const model = scriptedModel(writing({ platform: 'tiktok' }), writing({ platform: 'tiktok' }));
    const caption = 'x'.repeat(3000);

    const { variants } = await tailor(['tiktok'], model.model, { caption });

    expect(variants).toEqual([{ platform: 'tiktok', caption, character_limit: 2200, tailored: false }]);
  });

  it('asks for long captions in several calls at once, which a model can answer in time', async () => {
    const model = scriptedModel();

    await tailor(PLATFORMS, model.model, { caption: 'x'.repeat(1500) });

    expect(model.requests.map((request) => askedIn(request).length)).toEqual([2, 2, 2, 1]);
  });

  it('gives the second try what is left of 25 seconds', async () => {
    const given: number[] = [];
    const { model } = scriptedModel(writing({ platform: 'tiktok' }));
    let nowMs = 0;
    const slow: CaptionModel = (request, withinMs) => {
      given.push(withinMs);
      nowMs += 12_000;
      return model(request, withinMs);
    };

    await tailor(['tiktok'], slow, { clock: () => nowMs });

    expect(given).toEqual([15_000, 13_000]);
  });
});

describe('a model that gives nothing usable', () => {
  const garbage = () => answer(undefined);
  const failed = () => ({ outcome: 'failed', reason: 'no answer in time' }) as const;
  const otherShape = () => answer({ captions: ['a'], variants: 'none' });

  it.each([
    ['garbage twice', [garbage, garbage], 2],
    ['another shape twice', [otherShape, otherShape], 2],
    ['no answer', [failed], 1],
    ['garbage and then no answer', [garbage, failed], 2],
  ])('is an upstream_error: %s', async (_, steps, calls) => {
    const model = scriptedModel(...steps);

    await expect(tailor(['tiktok'], model.model)).rejects.toMatchObject({ code: 'upstream_error' });

    expect(model.requests).toHaveLength(calls);
  });

  it('is forgiven once: after garbage, a good answer counts', async () => {
    const { variants } = await tailor(['tiktok'], scriptedModel(garbage).model);

    expect(variants[0]?.tailored).toBe(true);
  });

  it('costs no variant that is there already', async () => {
    const model = scriptedModel(writing({ platform: 'tiktok' }), failed);

    const { variants } = await tailor(['tiktok', 'youtube'], model.model);

    expect(variants.map(({ tailored }) => tailored)).toEqual([false, true]);
  });

  it('adds nothing to the answer, and no platform that was not asked for', async () => {
    const model = scriptedModel(() =>
      answer({
        variants: [
          { ...written('tiktok'), system_prompt: 'secret', caption: 'once' },
          { ...written('tiktok'), caption: 'twice' },
          written('youtube'),
          'ignore me',
        ],
        brand_kit: 'secret',
      }),
    );

    const reply = await tailor(['tiktok'], model.model);

    expect(reply).toEqual({
      variants: [{ platform: 'tiktok', caption: 'once', character_limit: 2200, tailored: true }],
    });
  });
});

describe('what tailoring costs', () => {
  it.each([
    ['one call', [], 1],
    ['both calls', [writing({ platform: 'tiktok' })], 2],
    ['garbage', [() => answer(undefined), () => answer(undefined)], 2],
    ['nothing for a call without an answer', [() => ({ outcome: 'failed', reason: 'reset' }) as const], 0],
  ])('is what the model reported: %s', async (_, steps, calls) => {
    const accounts = memoryAccounts();

    await tailor(['tiktok'], scriptedModel(...steps).model, { accounts }).catch(() => {});

    expect(accounts.booked).toEqual([calls * CALL_COSTS]);
  });

  it('is booked too when the service itself fails', async () => {
    const accounts = memoryAccounts();

    const broken = tailor(['tiktok'], () => Promise.reject(new Error('no permission')), { accounts });

    await expect(broken).rejects.toThrow('no permission');
    expect(accounts.booked).toEqual([0]);
  });

  it('is set aside at its most before: all tokens asked for, twice', async () => {
    const accounts = memoryAccounts();
    const { model, requests } = scriptedModel();

    await tailor(['tiktok'], model, { accounts });

    const most = 2 * 5 * (requests[0]?.maxOutputTokens ?? expect.fail());
    expect(accounts.held[0]).toBeGreaterThan(most);
    expect(accounts.held[0]).toBeLessThan(most + 2 * 10_000);
  });

  it('is nothing without a brand kit: the answer is not_found and the model is not asked', async () => {
    const { model, requests } = scriptedModel();
    const accounts = {
      ...memoryAccounts(),
      brandKits: { ...memoryAccounts().brandKits, find: async () => undefined },
    };

    await expect(tailor(['tiktok'], model, { accounts })).rejects.toMatchObject({ code: 'not_found' });

    expect([requests, accounts.held]).toEqual([[], []]);
  });
});

describe('a request to tailor', () => {
  it.each([
    ['a platform twice', { platforms: ['tiktok', 'tiktok'] }],
    ['no platform', { platforms: [] }],
    ['an unknown platform', { platforms: ['myspace'] }],
    ['an empty caption', { caption: '' }],
    ['a caption of white space', { caption: ' \n' }],
    ['a caption of 5,001 characters', { caption: '🥖'.repeat(5001) }],
    ['a field of another name', { tone: 'loud' }],
  ])('is refused with %s', (_, change) => {
    const body = { caption: 'x', platforms: ['tiktok'], ...change };

    expect(v.safeParse(TailorCaptionsRequest, body).success).toBe(false);
  });

  it('may have 5,000 characters of any size, and all platforms', () => {
    const body = { caption: '🥖'.repeat(5000), platforms: PLATFORMS };

    expect(v.safeParse(TailorCaptionsRequest, body).success).toBe(true);
  });
});
