import type { LinkedinCredentials } from '../../../channels/credentials.ts';
import { type Clock, HOUR_MS } from '../../../shared/clock.ts';
import type { Publisher } from '../../publisher.ts';
import { StepEnded } from '../platform-error.ts';
import { socialPublisher } from '../social-publisher.ts';
import type { StepNeeds } from '../step.ts';
import { type LinkedinApi, type LinkedinStep, linkedinDialect } from './linkedin-dialect.ts';
import { REVOKED } from './linkedin-errors.ts';
import { preparePost, sendPost, verifyPost } from './share-post.ts';

interface Needs extends StepNeeds {
  readonly api: LinkedinApi;
  readonly random: () => number;
  readonly clock: Clock;
}

/**
 * Publishes to LinkedIn, for members and organizations alike: text, images, and one video. A post has no id
 * before it is out, and a member's posts cannot be read back; see `verifyPost` for what proves it.
 */
export function linkedinPublisher({ api, ...needs }: Needs): Publisher {
  return socialPublisher<LinkedinCredentials>(
    {
      name: 'LinkedIn',
      ...linkedinDialect(api, needs),
      maxSends: 12,
      looksSeconds: [60, 15],
      horizonMs: HOUR_MS,
      // Refusals are; a failure on its side may come after the post was made.
      believes: ({ code }) => !code.startsWith('5'),
      prepare: (step) => onceMoreIfRevoked(step, () => preparePost(step, api)),
      send: (step) => onceMoreIfRevoked(step, () => sendPost(step, api)),
      verify: (step) => onceMoreIfRevoked(step, () => verifyPost(step, api)),
    },
    needs,
  );
}

/** A brand-new token was seen to be called revoked for some seconds; so that is believed the second time. */
async function onceMoreIfRevoked<T>(step: LinkedinStep, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof StepEnded) || error.trouble.reason !== 'refused') throw error;
    const { code } = error.trouble.error;
    if (code !== `401/${REVOKED}` || step.handle.was_revoked === true) throw error;
    step.keep({ was_revoked: true });
    const text = 'it does not know the connection; we try once more';
    throw new StepEnded({ reason: 'refused', error: { class: 'later', code, text, waitSeconds: 10 } });
  }
}
