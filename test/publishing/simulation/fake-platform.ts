import type { Job, Publisher, Sent, Verified } from '../../../functions/publishing/publisher.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/**
 * How a platform answers a send: whether the post comes to exist, when its effect and its answer come, and
 * what the answer says. Most of them are lies or silence.
 */
const ANSWERS = {
  ok: { creates: true, answer: 'posted' },
  slow: { creates: true, answer: 'posted', takesMs: 45_000 },
  'times out after creating': { creates: true, answer: 'nothing' },
  'answers after ten minutes': { creates: true, answer: 'nothing', effectMs: 50_000 },
  'resets mid-body': { creates: false, answer: 'ambiguous' },
  '500 after creating': { creates: true, answer: 'ambiguous' },
  '429 after creating': { creates: true, answer: 'ambiguous' },
  '200 with garbage': { creates: true, answer: 'ambiguous' },
  'refuses the connection': { creates: false, answer: 'retry' },
  'rejects it': { creates: false, answer: 'refused' },
} as const satisfies Record<string, PlatformAnswer>;
export type AnswerName = keyof typeof ANSWERS;
export const ANSWER_NAMES = Object.keys(ANSWERS) as AnswerName[];

interface PlatformAnswer {
  readonly creates: boolean;
  readonly answer: 'posted' | 'ambiguous' | 'retry' | 'refused' | 'nothing';
  readonly takesMs?: number;
  readonly effectMs?: number;
}

/** What came to exist on the platform, by target. */
export interface Publication {
  readonly atMs: number;
  readonly target: string;
  readonly id: string;
}

/** A social platform that may lie about what it did, and knows the truth when asked by handle. */
export interface FakePlatform {
  readonly publications: Publication[];
  /** How a process plugs it in. */
  publisher(process: Process): Publisher;
}

/** How a platform behaves. */
export interface PlatformOptions {
  /** Draws the answer to a send. @default always ok */
  readonly answers?: () => AnswerName;
  /** Whether it can be asked what became of a send. @default true */
  readonly canProbe?: boolean;
}

const SEND_MS = 60_000;

export function fakePlatform(
  world: World,
  { answers = () => 'ok', canProbe = true }: PlatformOptions,
): FakePlatform {
  const publications: Publication[] = [];
  /** Sends that have arrived and not yet taken effect, by handle. */
  const underWay = new Map<string, number>();

  const arrive = (job: Job, { creates, effectMs = 5 }: PlatformAnswer) => {
    const target = job.target.id;
    if (!creates) return;
    underWay.set(target, (underWay.get(target) ?? 0) + 1);
    world.after(effectMs, () => {
      publications.push({ atMs: world.now(), target, id: `ext-${publications.length}` });
      underWay.set(target, (underWay.get(target) ?? 1) - 1);
    });
  };
  const found = (target: string) => publications.find((each) => each.target === target);

  async function send(job: Job, process: Process): Promise<Sent> {
    const answer: PlatformAnswer = ANSWERS[answers()];
    let hasLeft = false;
    await process.call('platform.send', () => {
      // A client gives up at its deadline; what has not left by then never does.
      if (process.clock() > job.deadlineMs) return;
      hasLeft = true;
      arrive(job, answer);
    });
    const said = (outcome: string) => ({ code: outcome, message: `the platform: ${outcome}` });
    if (!hasLeft) return { outcome: 'retry', atMs: job.clock() + 30_000, ...said('deadline') };
    if (answer.takesMs) await process.sleep(answer.takesMs);
    const { outcome } = { outcome: answer.answer };
    switch (outcome) {
      case 'posted':
        return { outcome, externalPostId: found(job.target.id)?.id ?? 'ext-later' };
      case 'retry':
        return { outcome, atMs: job.clock() + 30_000, ...said('connection refused') };
      case 'refused':
        return { outcome, ...said('rejected') };
      case 'ambiguous':
        return { outcome, ...said('ambiguous') };
      case 'nothing': {
        await process.sleep(Math.max(0, job.deadlineMs - process.clock()));
        return { outcome: 'ambiguous', ...said('timeout') };
      }
    }
  }

  async function verify(job: Job, process: Process): Promise<Verified> {
    const target = job.target.id;
    return process.call('platform.probe', (): Verified => {
      const why = { code: 'probe', message: 'the platform was asked' };
      if (!canProbe) return { outcome: 'unknown', ...why };
      const publication = found(target);
      if (publication) return { outcome: 'posted', externalPostId: publication.id };
      if ((underWay.get(target) ?? 0) > 0)
        return { outcome: 'processing', atMs: job.clock() + 10_000, ...why };
      return { outcome: 'absent', ...why };
    });
  }

  return {
    publications,
    publisher: (process) => ({
      maxSends: 5,
      sendMs: () => SEND_MS,
      prepare: (job) =>
        process.call('platform.prepare', () => ({
          outcome: 'ready',
          handle: { container: job.handle.container ?? world.uuid() },
        })),
      send: (job) => send(job, process),
      verify: (job) => verify(job, process),
    }),
  };
}
