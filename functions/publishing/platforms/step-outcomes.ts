import { SECOND_MS } from '../../shared/clock.ts';
import type { Job, Refused, Retry, Sent, Verified } from '../publisher.ts';
import type { Handle } from '../target.ts';
import type { PlatformError, StepTrouble } from './platform-error.ts';
import type { Looked, SocialPlatform, Waiting } from './social-platform.ts';

/** The waits after failed tries of what can be repeated. */
const RETRY_SECONDS = [2, 8, 30, 120, 300] as const;

/** The waits when a limit is met and nothing says for how long. */
const LIMIT_SECONDS = [60, 300, 900, 1800, 3600] as const;

/** Waits vary by so much either way. */
const JITTER = 0.2;

type Again = Refused | (Retry & { readonly handle: Handle });

/** What troubles of a step, by the stage it happened in, mean for the stage machine. */
export interface StepOutcomes {
  inPrepare(job: Job, trouble: StepTrouble, handle: Handle): Promise<Again>;
  inSend(job: Job, trouble: StepTrouble, handle: Handle): Promise<Sent>;
  inVerify(job: Job, trouble: StepTrouble): Promise<Verified>;
  /** A look, with what is remembered of the send it is about. */
  looked(job: Job, seen: Looked): Verified;
  waiting(job: Job, waiting: Waiting, handle: Handle): Retry & { readonly handle: Handle };
}

/** The meanings, for one platform. */
export function stepOutcomes(
  platform: Pick<SocialPlatform<unknown>, 'name' | 'believes' | 'looksSeconds' | 'horizonMs'>,
  random: () => number,
): StepOutcomes {
  const { name } = platform;
  const jittered = (seconds: number) => seconds * SECOND_MS * (1 - JITTER + 2 * JITTER * random());
  const nth = (waits: readonly number[], n: number) => jittered(waits[Math.min(n, waits.length - 1)] ?? 0);
  const count = ({ handle }: Job, counter: string) => Number(handle[counter] ?? 0);

  /** A limit is met: nobody calls for this channel before it is over. Waiting counts as no try. */
  const limited = async (job: Job, error: PlatformError, handle: Handle) => {
    const limits = count(job, 'limits');
    const waitMs = error.waitSeconds ? jittered(error.waitSeconds) : nth(LIMIT_SECONDS, limits);
    const atMs = error.atMs ?? job.clock() + waitMs;
    await job.pause({ scope: 'channel', untilMs: atMs });
    const outcome = { outcome: 'retry', atMs, code: error.code, message: `${name}: ${error.text}` } as const;
    return { ...outcome, handle: { ...handle, limits: limits + 1 } };
  };

  const refused = async (job: Job, error: PlatformError): Promise<Refused> => {
    if (error.event) await job.channelEvent(error.event);
    const advice = error.class === 'reconnect' ? '; connect the channel again, then publish this again' : '';
    return { outcome: 'refused', code: error.code, message: `${name}: ${error.text}${advice}` };
  };

  const again = (job: Job, code: string, handle: Handle): Again => {
    // From the handle as it is now: a step that got further than the last one may have set it back.
    // A worker's time being over is nobody's failure.
    const tries = Number(handle.tries ?? 0) + (code === 'no_time' ? 0 : 1);
    if (tries > RETRY_SECONDS.length) {
      const message = `${name} failed or could not be reached ${tries} times (${code}); nothing has gone out. Publish this again later.`;
      return { outcome: 'refused', code, message };
    }
    const atMs = job.clock() + nth(RETRY_SECONDS, Math.max(0, tries - 1));
    const message = `${name} could not be reached, or failed on its side; we try again`;
    return { outcome: 'retry', atMs, code, message, handle: { ...handle, tries } };
  };

  const inPrepare = async (job: Job, trouble: StepTrouble, handle: Handle): Promise<Again> => {
    if (trouble.reason !== 'refused') return again(job, trouble.code, handle);
    const { error } = trouble;
    switch (error.class) {
      case 'later':
        return limited(job, error, handle);
      case 'reconnect':
      case 'permanent':
        return refused(job, error);
      case 'retry':
      case 'check':
        return again(job, error.code, handle);
    }
  };

  const unclear = (code: string, handle: Handle): Sent => ({
    outcome: 'ambiguous',
    code,
    message: `${name} did not say clearly whether it took this; we look`,
    handle,
  });

  /** When to look again, or that nobody can know any more. */
  const lookAgain = (job: Job, { code, message }: { code: string; message: string }): Verified => {
    const { first_sent_at, looks } = job.target;
    const nowMs = job.clock();
    const sentMs = Date.parse(first_sent_at ?? job.post.created_at);
    if (nowMs - sentMs > platform.horizonMs) return { outcome: 'unknown', code, message };
    return { outcome: 'processing', atMs: nowMs + nth(platform.looksSeconds, looks), code, message };
  };

  return {
    inPrepare,

    async inSend(job, trouble, handle) {
      if (trouble.reason === 'not sent') return again(job, trouble.code, handle);
      if (trouble.reason === 'unclear') return unclear(trouble.code, handle);
      const { error } = trouble;
      if (error.class !== 'check' && platform.believes(error)) return inPrepare(job, trouble, handle);
      if (error.class === 'later') {
        const rest = await limited(job, error, handle);
        return unclear(error.code, { ...rest.handle, resume_ms: rest.atMs });
      }
      const refusal = error.class === 'permanent' ? { refusal: `${name}: ${error.text}` } : {};
      return unclear(error.code, { ...handle, ...refusal });
    },

    async inVerify(job, trouble) {
      const message = `${name} does not say yet what became of this`;
      if (trouble.reason !== 'refused') return lookAgain(job, { code: trouble.code, message });
      const { error } = trouble;
      if (error.class === 'later') return limited(job, error, job.handle);
      if (error.class !== 'reconnect') return lookAgain(job, { code: error.code, message });
      if (error.event) await job.channelEvent(error.event);
      return { outcome: 'unknown', code: error.code, message: error.text };
    },

    looked(job, seen) {
      switch (seen.outcome) {
        case 'posted':
        case 'refused':
        case 'unknown':
          return seen;
        case 'processing':
          return lookAgain(job, seen);
        case 'absent': {
          const { refusal, resume_ms } = job.handle;
          if (typeof refusal === 'string') return { outcome: 'refused', code: seen.code, message: refusal };
          const isEarly = typeof resume_ms === 'number' && resume_ms > job.clock();
          return isEarly ? { ...seen, outcome: 'processing', atMs: resume_ms } : seen;
        }
      }
    },

    waiting: (job, { code, message, forMs }, handle) => ({
      outcome: 'retry',
      atMs: job.clock() + forMs,
      code,
      message,
      handle,
    }),
  };
}
