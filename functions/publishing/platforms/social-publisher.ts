import { MINUTE_MS, SECOND_MS } from '../../shared/clock.ts';
import type { FollowedUp, Job, Prepared, Publisher, Sent, Verified } from '../publisher.ts';
import { mediaObstacle } from './media-obstacle.ts';
import { StepEnded, type StepTrouble } from './platform-error.ts';
import type { SocialPlatform } from './social-platform.ts';
import { beginStep, type Step, type StepNeeds } from './step.ts';
import { stepOutcomes } from './step-outcomes.ts';

/** One irreversible call of at most 60 s, and what is around it. */
const SEND_MS = 65 * SECOND_MS;
const PREPARE_MS = 8 * MINUTE_MS;

/** Makes a publisher of a platform: what its calls bring, or how they fail, becomes an outcome of the stage. */
export function socialPublisher<Credentials>(
  platform: SocialPlatform<Credentials>,
  needs: StepNeeds & { readonly random: () => number },
): Publisher {
  const outcomes = stepOutcomes(platform, needs.random);

  const run = async <Outcome>(
    job: Job,
    act: (step: Step<Credentials>) => Promise<Outcome>,
    ended: (trouble: StepTrouble, handle: Job['handle']) => Promise<Outcome>,
  ): Promise<Outcome> => {
    let { handle } = job;
    try {
      const step = await beginStep(job, platform, needs);
      ({ handle } = step);
      return await act(step);
    } catch (error) {
      if (error instanceof StepEnded) return ended(error.trouble, handle);
      throw error;
    }
  };

  return {
    maxSends: platform.maxSends,
    prepareMs: PREPARE_MS,
    sendMs: () => platform.sendMs ?? SEND_MS,

    async prepare(job) {
      const obstacle = mediaObstacle(job);
      if (obstacle) return obstacle;
      return run<Prepared>(
        job,
        async (step) => {
          const prepared = await platform.prepare(step);
          if (prepared === 'ready') return { outcome: 'ready', handle: step.handle };
          if (prepared.outcome !== 'waiting') return prepared;
          const again = outcomes.waiting(job, prepared, step.handle);
          return prepared.isOurs ? { ...again, outcome: 'waiting' } : again;
        },
        (trouble, handle) => outcomes.inPrepare(job, trouble, handle),
      );
    },

    send: (job) =>
      run<Sent>(
        job,
        async (step) => {
          const sent = await platform.send(step);
          return 'outcome' in sent
            ? { ...sent, outcome: 'ambiguous', handle: step.handle }
            : { outcome: 'posted', ...sent };
        },
        (trouble, handle) => outcomes.inSend(job, trouble, handle),
      ),

    verify: (job) =>
      run<Verified>(
        job,
        async (step) => outcomes.looked(job, await platform.verify(step)),
        (trouble) => outcomes.inVerify(job, trouble),
      ),

    followUp(kind, stage, job) {
      const followUp = platform.followUps?.[kind];
      if (!followUp) throw new Error(`${platform.name} has no follow-up ${kind}`);
      if (stage === 'prepare') {
        return run<FollowedUp>(
          job,
          async (step) => {
            const prepared = await followUp.prepare(step);
            if (prepared === 'ready') return { outcome: 'ready', handle: step.handle };
            return prepared.outcome === 'waiting' ? outcomes.waiting(job, prepared, step.handle) : prepared;
          },
          (trouble, handle) => outcomes.inPrepare(job, trouble, handle),
        );
      }
      return run<FollowedUp>(
        job,
        async (step) => {
          await followUp.send?.(step);
          return { outcome: 'done' };
        },
        async (trouble, handle) => {
          if (trouble.reason === 'not sent') return outcomes.inPrepare(job, trouble, handle);
          const code = trouble.reason === 'refused' ? trouble.error.code : trouble.code;
          const message = `${platform.name} did not confirm it; it is not made twice`;
          return { outcome: 'refused', code, message };
        },
      );
    },
  };
}
