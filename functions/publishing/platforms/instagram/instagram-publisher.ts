import * as v from 'valibot';
import { InstagramCredentials } from '../../../channels/credentials.ts';
import { type Clock, MINUTE_MS } from '../../../shared/clock.ts';
import type { Job, Published, Publisher } from '../../publisher.ts';
import { graphErrorOf, graphPauses } from '../meta/meta-dialect.ts';
import type { Looked } from '../social-platform.ts';
import { socialPublisher } from '../social-publisher.ts';
import type { StepNeeds } from '../step.ts';
import { stateOf } from './containers.ts';
import { INSTAGRAM_ERRORS } from './instagram-errors.ts';
import { graphOf, Id, type InstagramStep, type InstagramUrls } from './instagram-step.ts';
import { instagramStory } from './instagram-story.ts';
import { preparePost } from './prepare-post.ts';
import { permalinkOf, publishedMedia } from './published-media.ts';
import { refreshInstagram } from './refresh-instagram.ts';

interface Needs extends StepNeeds {
  readonly urls: InstagramUrls;
  readonly random: () => number;
  readonly clock: Clock;
}

/** A container that is still unpublished this long after a send will not be published by it any more. */
const SEND_SETTLES_MS = MINUTE_MS;

/**
 * Publishes images, carousels and reels to Instagram. A container is made first; publishing it is the one
 * irreversible call, and the container says afterwards whether it was published, whatever the answer was:
 * posts were seen live after a refusal.
 */
export function instagramPublisher({ urls, ...needs }: Needs): Publisher {
  return socialPublisher<InstagramCredentials>(
    {
      name: 'Instagram',
      credentials: InstagramCredentials,
      refresh: refreshInstagram(needs.client, urls, needs.clock),
      authorize: ({ access_token }) => ({ authorization: `Bearer ${access_token}` }),
      errorOf: graphErrorOf(INSTAGRAM_ERRORS),
      pausesOf: graphPauses,
      maxSends: 3,
      looksSeconds: [10, 20, 30, 60],
      horizonMs: 60 * MINUTE_MS,
      believes: () => false,

      prepare: (step) => preparePost(step, urls),

      async send(step) {
        step.keep({ sent_ms: step.job.clock() });
        const { id } = await step.call(Id, {
          kind: 'send',
          method: 'POST',
          url: `${graphOf(step, urls)}/${step.credentials.ig_user_id}/media_publish`,
          body: { form: { creation_id: v.parse(v.string(), step.handle.post) } },
        });
        return { externalPostId: id, ...followUpsOf(step.job, id) };
      },

      verify: (step) => look(step, urls),

      followUps: {
        story: instagramStory(urls),
        permalink: {
          async prepare(step) {
            const id = v.parse(v.string(), step.handle.media_id);
            return { outcome: 'done', url: await permalinkOf(step, urls, id) };
          },
        },
      },
    },
    needs,
  );
}

async function look(step: InstagramStep, urls: InstagramUrls): Promise<Looked> {
  const id = v.parse(v.string(), step.handle.post);
  const container = await stateOf(step, urls, id);
  switch (container.state) {
    case 'PUBLISHED': {
      const media = await publishedMedia(step, urls);
      return {
        outcome: 'posted',
        externalPostId: media?.id,
        externalPostUrl: media?.permalink,
        ...followUpsOf(step.job, media?.permalink ? undefined : media?.id),
      };
    }
    case 'FINISHED': {
      const sinceMs = step.job.clock() - Number(step.handle.sent_ms ?? 0);
      const code = 'not_published';
      return sinceMs >= SEND_SETTLES_MS
        ? { outcome: 'absent', code, message: 'Instagram has not published it' }
        : { outcome: 'processing', code, message: 'Instagram may be publishing it; we look again' };
    }
    case 'IN_PROGRESS':
      return { outcome: 'processing', code: 'in_progress', message: 'Instagram is processing it' };
    case 'EXPIRED':
    case 'ERROR': {
      const message =
        'Instagram let go of the prepared post before it was published; nothing has gone out. Publish it again.';
      return { outcome: 'refused', code: container.state.toLowerCase(), message };
    }
  }
}

/** The address, where it is not known yet, and a story where one was asked for. */
const followUpsOf = ({ target }: Job, mediaId: string | undefined): Pick<Published, 'followUps'> => ({
  followUps: [
    ...(mediaId === undefined ? [] : [{ kind: 'permalink' as const, handle: { media_id: mediaId } }]),
    ...(target.options?.share_to_story ? [{ kind: 'story' as const, handle: {} }] : []),
  ],
});
