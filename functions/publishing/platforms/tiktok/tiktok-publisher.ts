import type { TiktokCredentials } from '../../../channels/credentials.ts';
import { type Clock, DAY_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Publisher } from '../../publisher.ts';
import { socialPublisher } from '../social-publisher.ts';
import type { StepNeeds } from '../step.ts';
import { preparePhotos, sendPhotos } from './photo-post.ts';
import { permalink, verifyPost } from './post-status.ts';
import { type TiktokBase, type TiktokStep, tiktokDialect } from './tiktok-dialect.ts';
import { prepareVideo, sendVideo } from './video-post.ts';

interface Needs extends StepNeeds {
  readonly base: TiktokBase;
  readonly random: () => number;
  readonly clock: Clock;
}

/** Every few seconds at first, every minute for an hour, then every ten minutes; far below its 30 a minute. */
const LOOKS_SECONDS = [5, 10, 20, 30, ...Array<number>(58).fill(60), 600];

const isVideo = ({ job }: TiktokStep): boolean => job.media[0]?.kind === 'video';

/**
 * Publishes to TikTok: videos by upload, photos by address, straight to the profile or into the inbox of the
 * user's app. A video is known by its id before its last bytes go out. Photos have none: of an announcement
 * that was not answered nobody can tell what became, so it is not made again.
 */
export function tiktokPublisher({ base, ...needs }: Needs): Publisher {
  return socialPublisher<TiktokCredentials>(
    {
      name: 'TikTok',
      ...tiktokDialect(base, needs),
      maxSends: 6,
      // The last chunk may take 120 s.
      sendMs: 125 * SECOND_MS,
      looksSeconds: LOOKS_SECONDS,
      horizonMs: DAY_MS,
      // A failure on its side may come after it began; of an upload it can tell, so nothing is believed there.
      believes: ({ class: kind, code }) => kind !== 'retry' && !code.startsWith('upload_'),
      prepare: (step) => (isVideo(step) ? prepareVideo(step, base) : preparePhotos(step, base)),
      send: (step) => (isVideo(step) ? sendVideo(step) : sendPhotos(step, base)),
      verify: (step) => verifyPost(step, base),
      followUps: { permalink: permalink(base) },
    },
    needs,
  );
}
