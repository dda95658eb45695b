import type { YoutubeCredentials } from '../../../channels/credentials.ts';
import { type Clock, DAY_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Publisher } from '../../publisher.ts';
import { socialPublisher } from '../social-publisher.ts';
import type { StepNeeds } from '../step.ts';
import { posterThumbnail } from './poster-thumbnail.ts';
import { prepareVideo, sendVideo, verifyVideo } from './video-post.ts';
import { type YoutubeUrls, youtubeDialect } from './youtube-dialect.ts';

interface Needs extends StepNeeds {
  readonly urls: YoutubeUrls;
  readonly random: () => number;
  readonly clock: Clock;
}

/**
 * Publishes to YouTube: one resumable upload for a video, whose last piece makes it appear. The session tells
 * at any time whether it has, so no answer to that piece needs to be believed.
 */
export function youtubePublisher({ urls, ...needs }: Needs): Publisher {
  return socialPublisher<YoutubeCredentials>(
    {
      name: 'YouTube',
      ...youtubeDialect(urls, needs),
      maxSends: 12,
      // The last piece may take 120 s.
      sendMs: 125 * SECOND_MS,
      looksSeconds: [2, 4, 8, 16, 32, 64, 64, 64, 64, 300],
      horizonMs: DAY_MS,
      believes: () => false,
      prepare: (step) => prepareVideo(step, urls),
      send: sendVideo,
      verify: (step) => verifyVideo(step, urls),
      followUps: { thumbnail: posterThumbnail(urls) },
    },
    needs,
  );
}
