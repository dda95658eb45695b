import * as v from 'valibot';
import { MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Published, Refused } from '../../publisher.ts';
import { StepEnded } from '../platform-error.ts';
import type { Looked, Waiting } from '../social-platform.ts';
import { isRepeat, settleSends } from '../unsettled.ts';
import { assetStatus } from './asset-status.ts';
import { uploadImage } from './image-asset.ts';
import { duplicateOf, type LinkedinApi, type LinkedinStep } from './linkedin-dialect.ts';
import { postBody } from './post-body.ts';
import { uploadVideo } from './video-asset.ts';

const Uploaded = v.object({ urn: v.string(), at_ms: v.number() });
const Body = v.string();

/** LinkedIn knows a repeat for about ten minutes; the one repeat is made well within them, and not at once. */
const REPEAT_AFTER_MS = MINUTE_MS;
const REPEAT_UNTIL_MS = 9 * MINUTE_MS;

/** Uploads the media and writes the post's body down, as every send will send it. */
export async function preparePost(
  step: LinkedinStep,
  api: LinkedinApi,
): Promise<'ready' | Refused | Waiting> {
  settleSends(step);
  const { job } = step;
  const assets: string[] = [];
  for (const [index, media] of job.media.entries()) {
    const known = v.safeParse(Uploaded, step.handle[`asset_${index}`]);
    if (!known.success) {
      const urn = await (media.kind === 'video' ? uploadVideo : uploadImage)(step, api, media);
      if (typeof urn !== 'string') return urn;
      step.keep({ [`asset_${index}`]: { urn, at_ms: job.clock() }, tries: 0 });
    }
  }
  for (const [index, media] of job.media.entries()) {
    const { urn, at_ms } = v.parse(Uploaded, step.handle[`asset_${index}`]);
    assets.push(urn);
    const status = await assetStatus(step, api, { media, urn, uploadedMs: at_ms });
    if (status !== 'available') return status;
  }
  await step.once('body', Body, async () => postBody(job, { author: step.credentials.author, assets }));
  return 'ready';
}

/**
 * The one irreversible call. A repeat of it is the only way to learn what became of the first: LinkedIn
 * refuses it naming the post that is there, or takes it because there was none.
 */
export async function sendPost(step: LinkedinStep, api: LinkedinApi): Promise<Omit<Published, 'outcome'>> {
  return isRepeat(step) ? repeatPost(step, api) : firstPost(step, api);
}

async function firstPost(step: LinkedinStep, api: LinkedinApi): Promise<Omit<Published, 'outcome'>> {
  step.keep({ sent_ms: step.job.clock(), was_limited: false, unsent: 0 });
  const answer = await post(step, api);
  if (typeof answer === 'string') return publishedAs(answer);
  // A limit is believed once it is said twice: the repeat finds the post if there is one after all.
  if (answer.class === 'later') {
    step.keep({ was_limited: true });
    throw new StepEnded({ reason: 'unclear', code: answer.code });
  }
  throw new StepEnded({ reason: 'refused', error: answer });
}

async function repeatPost(step: LinkedinStep, api: LinkedinApi): Promise<Omit<Published, 'outcome'>> {
  try {
    const answer = await post(step, api);
    if (typeof answer === 'string') return publishedAs(answer);
    const twin = duplicateOf(answer);
    if (twin !== undefined) return publishedAs(twin);
    if (answer.class === 'later' && step.handle.was_limited === true) {
      throw new StepEnded({ reason: 'refused', error: answer });
    }
    throw new StepEnded({ reason: 'unclear', code: answer.code });
  } catch (error) {
    // Not sent is no answer either: the first send is still of unknown fate.
    if (!(error instanceof StepEnded) || error.trouble.reason !== 'not sent') throw error;
    step.keep({ unsent: unsentIn(step) + 1 });
    throw new StepEnded({ reason: 'unclear', code: error.trouble.code });
  }
}

async function post(step: LinkedinStep, { rest }: LinkedinApi) {
  const bytes = Buffer.from(v.parse(Body, step.handle.body));
  const answer = await step.ask({
    kind: 'send',
    method: 'POST',
    url: `${rest}/posts`,
    body: {
      bytes: {
        size: bytes.length,
        open: async function* () {
          yield bytes;
        },
      },
      contentType: 'application/json',
    },
  });
  if (answer.outcome === 'refused') return answer.error;
  const urn = answer.headers['x-restli-id'];
  if (typeof urn === 'string' && urn !== '') return urn;
  throw new StepEnded({ reason: 'unclear', code: 'no_urn' });
}

const publishedAs = (urn: string): Omit<Published, 'outcome'> => ({
  externalPostId: urn,
  externalPostUrl: `https://www.linkedin.com/feed/update/${urn}/`,
});

const unsentIn = ({ handle }: LinkedinStep): number => Number(handle.unsent ?? 0);

const Found = v.object({
  elements: v.array(
    v.object({ id: v.string(), commentary: v.optional(v.string(), ''), createdAt: v.number() }),
  ),
});

/** How far two clocks may differ. */
const SKEW_MS = 30 * SECOND_MS;

/**
 * An organization's posts can be read, so one is looked for among them. A member's cannot: there the repeat
 * has to tell, once, after a minute and within ten.
 */
export async function verifyPost(step: LinkedinStep, api: LinkedinApi): Promise<Looked> {
  const sentMs = Number(step.handle.sent_ms ?? Date.parse(step.job.target.first_sent_at ?? ''));
  const urn = await findOwn(step, api, sentMs);
  if (urn !== undefined) return { outcome: 'posted', ...publishedAs(urn) };
  const ageMs = step.job.clock() - sentMs;
  const repeats = step.job.target.sends - 1 - Number(step.handle.sends_before ?? 0) - unsentIn(step);
  const message = 'LinkedIn did not say whether it took this';
  if (repeats > 0 || ageMs > REPEAT_UNTIL_MS) return { outcome: 'unknown', code: 'no_answer', message };
  if (ageMs < REPEAT_AFTER_MS) return { outcome: 'processing', code: 'no_answer', message };
  return { outcome: 'absent', code: 'to_repeat', message };
}

async function findOwn(
  step: LinkedinStep,
  { rest }: LinkedinApi,
  sentMs: number,
): Promise<string | undefined> {
  const { author } = step.credentials;
  if (!author.startsWith('urn:li:organization:')) return undefined;
  const answer = await step.ask({
    kind: 'probe',
    method: 'GET',
    url: `${rest}/posts`,
    query: { q: 'author', author, count: 10, sortBy: 'LAST_MODIFIED' },
  });
  // Reading takes a permission of its own, which the connection may lack.
  if (answer.outcome === 'refused') return undefined;
  const found = v.safeParse(Found, answer.body);
  const { commentary } = v.parse(
    v.pipe(v.string(), v.parseJson(), v.object({ commentary: v.string() })),
    step.handle.body,
  );
  return found.success
    ? found.output.elements.find(
        (each) => each.commentary === commentary && each.createdAt >= sentMs - SKEW_MS,
      )?.id
    : undefined;
}
