import type { Platform } from '../channels/platform.ts';
import { type CaptionModel, costOf, type ModelPrices, mostTokens } from './caption-model.ts';
import { type CaptionJob, captionPrompt } from './caption-prompt.ts';
import { problemOf, type WrittenVariant, writtenVariants } from './caption-variants.ts';

interface Needs {
  readonly model: CaptionModel;
  readonly prices: ModelPrices;
}

/** What came of asking the model once for each platform of a job. */
export interface Answer {
  /** Variants that can be posted. */
  readonly usable: ReadonlyMap<Platform, WrittenVariant>;
  /** What was wrong with the others. */
  readonly problems: ReadonlyMap<Platform, string>;
  readonly costMicroDollars: number;
  /** Whether a call was answered at all, and whether an answer had the shape asked for. */
  readonly isReached: boolean;
  readonly hasShape: boolean;
}

/**
 * A model writes some 100 tokens, or 400 bytes, a second, and the gateway waits for 30 seconds: what is longer than
 * this is asked for in several calls at once.
 */
const OUTPUT_BYTES_PER_CALL = 3000;

/** Asks for all platforms of a job; calls that fail leave theirs without a variant. */
export async function askModel(job: CaptionJob, withinMs: number, { model, prices }: Needs): Promise<Answer> {
  const replies = await Promise.all(
    callsOf(job).map(async (call) => ({ call, reply: await model(captionPrompt(call), withinMs) })),
  );
  const usable = new Map<Platform, WrittenVariant>();
  const problems = new Map<Platform, string>();
  let costMicroDollars = 0;
  let hasShape = false;
  for (const { call, reply } of replies) {
    if (reply.outcome === 'failed') continue;
    costMicroDollars += costOf(reply.usage, prices);
    const written = writtenVariants(reply.value);
    hasShape ||= written !== undefined;
    for (const platform of call.platforms) {
      const variant = written?.get(platform);
      const problem = variant ? problemOf(variant) : 'it was missing';
      if (problem) problems.set(platform, problem);
      else if (variant) usable.set(platform, variant);
    }
  }
  const isReached = replies.some(({ reply }) => reply.outcome === 'answered');
  return { usable, problems, costMicroDollars, isReached, hasShape };
}

/** The most that asking `times` for a job can cost. */
export const mostItCosts = (job: CaptionJob, times: number, prices: ModelPrices): number =>
  callsOf(job).reduce((sum, call) => sum + times * costOf(mostTokens(captionPrompt(call)), prices), 0);

function callsOf(job: CaptionJob): readonly CaptionJob[] {
  const size = Math.max(1, Math.floor(OUTPUT_BYTES_PER_CALL / Buffer.byteLength(job.caption)));
  const count = Math.ceil(job.platforms.length / size);
  return Array.from({ length: count }, (_, index) => ({
    ...job,
    platforms: job.platforms.slice(index * size, (index + 1) * size),
  }));
}
