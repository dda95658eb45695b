import type { LinkedinCredentials } from '../../../channels/credentials.ts';
import { type Clock, HOUR_MS } from '../../../shared/clock.ts';
import type { Publisher } from '../../publisher.ts';
import { socialPublisher } from '../social-publisher.ts';
import type { StepNeeds } from '../step.ts';
import { type LinkedinApi, linkedinDialect } from './linkedin-dialect.ts';
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
      prepare: (step) => preparePost(step, api),
      send: (step) => sendPost(step, api),
      verify: (step) => verifyPost(step, api),
    },
    needs,
  );
}
