import * as v from 'valibot';
import { FacebookCredentials } from '../../../channels/credentials.ts';
import { HOUR_MS } from '../../../shared/clock.ts';
import type { Job, Published, Publisher } from '../../publisher.ts';
import { unknownSize } from '../media-obstacle.ts';
import { graphErrorOf, graphPauses } from '../meta/meta-dialect.ts';
import type { FollowUp } from '../social-platform.ts';
import { socialPublisher } from '../social-publisher.ts';
import type { StepNeeds } from '../step.ts';
import { prepareVideo } from './chunked-video.ts';
import { FACEBOOK_ERRORS } from './facebook-errors.ts';
import { formOf, type GraphUrl } from './facebook-step.ts';
import { facebookStory } from './facebook-story.ts';
import { prepareFeedPost, sendFeedPost, verifyFeedPost } from './feed-post.ts';
import { prepareReel, sendVideo, verifyVideo } from './video-post.ts';

interface Needs extends StepNeeds {
  readonly graph: GraphUrl;
  readonly random: () => number;
}

/**
 * Publishes to Facebook Pages: text, photos, videos, and vertical clips as reels. Whatever is published has
 * its id before, so that what became of it can always be asked.
 */
export function facebookPublisher({ graph, ...needs }: Needs): Publisher {
  return socialPublisher<FacebookCredentials>(
    {
      name: 'Facebook',
      credentials: FacebookCredentials,
      authorize: ({ access_token }) => ({ authorization: `Bearer ${access_token}` }),
      errorOf: graphErrorOf(FACEBOOK_ERRORS),
      pausesOf: graphPauses,
      maxSends: 8,
      looksSeconds: [10, 15, 30, 60, 120],
      horizonMs: 2 * HOUR_MS,
      believes: () => false,

      async prepare(step) {
        if (step.job.media.some(({ kind }) => kind === 'video')) {
          const unknown = unknownSize(step.job);
          if (unknown) return unknown;
        }
        const form = formOf(step.job.media);
        step.keep({ form });
        switch (form) {
          case 'feed':
            return prepareFeedPost(step, graph);
          case 'video':
            return prepareVideo(step, graph);
          case 'reel':
            return prepareReel(step, graph);
        }
      },

      async send(step) {
        switch (formIn(step.handle)) {
          case 'feed':
            return { ...(await sendFeedPost(step, graph)), ...followUpsOf(step.job) };
          case 'video':
            return sendVideo(step, graph, 'videos');
          case 'reel':
            return sendVideo(step, graph, 'video_reels');
        }
      },

      async verify(step) {
        const isFeed = formIn(step.handle) === 'feed';
        const seen = await (isFeed ? verifyFeedPost(step, graph) : verifyVideo(step, graph));
        return seen.outcome === 'posted' ? { ...seen, ...followUpsOf(step.job) } : seen;
      },

      followUps: { story: facebookStory(graph), permalink: permalink(graph) },
    },
    needs,
  );
}

const Form = v.object({ form: v.picklist(['feed', 'video', 'reel']) });
const formIn = (handle: unknown) => v.parse(Form, handle).form;

/** The address as Facebook gives it, and a story where one was asked for. */
const followUpsOf = ({ target, media }: Job): Pick<Published, 'followUps'> => ({
  followUps: [
    { kind: 'permalink' as const, handle: {} },
    ...(target.options?.share_to_story && media.length > 0 ? [{ kind: 'story' as const, handle: {} }] : []),
  ],
});

const permalink = (graph: GraphUrl): FollowUp<FacebookCredentials> => ({
  async prepare(step) {
    const { permalink_url } = await step.call(v.object({ permalink_url: v.string() }), {
      kind: 'probe',
      method: 'GET',
      url: `${graph}/${step.job.target.external_post_id}`,
      query: { fields: 'permalink_url' },
    });
    return {
      outcome: 'done',
      url: URL.parse(permalink_url, 'https://www.facebook.com/')?.href ?? permalink_url,
    };
  },
});
