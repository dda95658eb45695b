import * as v from 'valibot';
import type { MediaRow } from '../../../media/media.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Refused } from '../../publisher.ts';
import { StepEnded } from '../platform-error.ts';
import type { Waiting } from '../social-platform.ts';
import type { LinkedinApi, LinkedinStep } from './linkedin-dialect.ts';

const Asset = v.object({ status: v.string(), processingFailureReason: v.optional(v.string()) });

/** How long LinkedIn may take over a file. */
const PATIENCE_MS = { image: 2 * MINUTE_MS, video: 15 * MINUTE_MS } as const;

/** Members' tokens may not look at images; this long after its upload one is taken to be there. */
const BLIND_WAIT_MS = 25 * SECOND_MS;
const LOOK_AGAIN_MS = 5 * SECOND_MS;

/**
 * Whether an uploaded file can be posted. A post made before could be one that nobody ever sees.
 *
 * @param uploadedMs when its upload ended, in milliseconds since the epoch.
 */
export async function assetStatus(
  step: LinkedinStep,
  { rest }: LinkedinApi,
  { media, urn, uploadedMs }: { media: MediaRow; urn: string; uploadedMs: number },
): Promise<'available' | Refused | Waiting> {
  const waitedMs = step.job.clock() - uploadedMs;
  const message = `LinkedIn is taking in media ${media.id}`;
  const waiting: Waiting = { outcome: 'waiting', code: 'media_processing', message, forMs: LOOK_AGAIN_MS };
  const answer = await step.ask({
    kind: 'probe',
    method: 'GET',
    url: `${rest}/${media.kind}s/${encodeURIComponent(urn)}`,
  });
  if (answer.outcome === 'refused') {
    if (!answer.error.code.startsWith('403')) {
      throw new StepEnded({ reason: 'refused', error: answer.error });
    }
    return waitedMs >= BLIND_WAIT_MS ? 'available' : { ...waiting, forMs: BLIND_WAIT_MS - waitedMs };
  }
  const asset = v.safeParse(Asset, answer.body);
  if (!asset.success) throw new StepEnded({ reason: 'unclear', code: 'unreadable_answer' });
  const { status, processingFailureReason: reason } = asset.output;
  if (status === 'AVAILABLE') return 'available';
  if (status === 'PROCESSING_FAILED') {
    const said = reason ? ` (${reason})` : '';
    const failure = `LinkedIn cannot use media ${media.id}${said}; encode it anew and publish again`;
    return { outcome: 'refused', code: status, message: failure };
  }
  if (waitedMs <= PATIENCE_MS[media.kind]) return waiting;
  const late = `LinkedIn did not finish taking in media ${media.id}; nothing has gone out, so publish it again`;
  return { outcome: 'refused', code: status, message: late };
}
