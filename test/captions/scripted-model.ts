import * as v from 'valibot';
import type { AiBudget } from '../../functions/captions/ai-budget.ts';
import { BrandKit } from '../../functions/captions/brand-kit.ts';
import type { BrandKitStore } from '../../functions/captions/brand-kit-store.ts';
import type { CaptionModel, ModelReply, ModelRequest } from '../../functions/captions/caption-model.ts';
import type { Platform } from '../../functions/channels/platform.ts';

/** A kit with a word in every field that a test can look for. */
export const KIT: BrandKit = v.parse(BrandKit, {
  voice: 'plain as bread',
  words_to_avoid: ['artisanal'],
  hashtags: ['#Bakery'],
});

export const PRICES = { inputCentsPerMillionTokens: 100, outputCentsPerMillionTokens: 500 };
const USAGE = { inputTokens: 1000, outputTokens: 100 };
/** What one answered call costs at these prices. */
export const CALL_COSTS = 1500;

/** The platforms a request asks for, with what was said to be wrong before. */
export function askedIn({ user }: ModelRequest): { platform: Platform; problem?: string }[] {
  return JSON.parse(/<platforms>\n(.*)\n<\/platforms>/.exec(user.join('\n'))?.[1] ?? '[]');
}

/** A good variant of any platform. */
export const written = (platform: string) => ({
  platform,
  caption: `for ${platform}`,
  title: platform === 'youtube' ? 'A title' : '',
});

/** An answer with this as its JSON. */
export const answer = (value: unknown): ModelReply => ({ outcome: 'answered', value, usage: USAGE });

type Step = (request: ModelRequest) => ModelReply;

/** Writes a good variant for each platform asked for, but those in `except`. */
export const writing =
  (...except: readonly { platform: string; caption?: string; title?: string }[]): Step =>
  (request) =>
    answer({
      variants: askedIn(request).flatMap(({ platform }) => {
        const bad = except.find((each) => each.platform === platform);
        if (!bad) return [written(platform)];
        return bad.caption === undefined && bad.title === undefined ? [] : [{ ...written(platform), ...bad }];
      }),
    });

/** A model that answers call after call as told, and then well; with all it was asked. */
export function scriptedModel(...steps: readonly Step[]): { model: CaptionModel; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: CaptionModel = async (request) => {
    requests.push(request);
    return (steps[requests.length - 1] ?? writing())(request);
  };
  return { model, requests };
}

/** A brand kit store and a budget in memory; `booked` is what was settled, and nothing may stay held. */
export function memoryAccounts(kit: BrandKit | undefined = KIT) {
  const booked: number[] = [];
  const held: number[] = [];
  const brandKits: BrandKitStore = {
    find: async () => kit && { kit, budgetCents: 500 },
    put: () => Promise.reject(new Error('tailoring changes no brand kit')),
  };
  const budget: AiBudget = {
    reserve: async ({ microDollars }) => {
      held.push(microDollars);
      return { key: { pk: 'WS#w', sk: 'USAGE' }, attribute: 'hold', microDollars };
    },
    settle: async (_hold, microDollars) => {
      booked.push(microDollars);
    },
  };
  return { brandKits, budget, booked, held };
}
