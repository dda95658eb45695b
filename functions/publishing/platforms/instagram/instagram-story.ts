import * as v from 'valibot';
import type { InstagramCredentials } from '../../../channels/credentials.ts';
import type { FollowUp } from '../social-platform.ts';
import { container, finished } from './containers.ts';
import { graphOf, Id, type InstagramUrls } from './instagram-step.ts';
import { mediaField } from './prepare-post.ts';

/** Instagram user media reference: a story's video lasts 60 s and has 100 MB at most. */
const STORY_VIDEO = { maxMs: 60_000, maxBytes: 100_000_000 } as const;

/** Shares the first file to the account's stories, from a container of its own; stories have no caption. */
export function instagramStory(urls: InstagramUrls): FollowUp<InstagramCredentials> {
  return {
    async prepare(step) {
      const [media] = step.job.media;
      if (!media) return { outcome: 'refused', code: 'no_media', message: 'there is nothing to share' };
      const isTooMuch =
        media.kind === 'video' &&
        ((media.duration_ms ?? 0) > STORY_VIDEO.maxMs || media.bytes > STORY_VIDEO.maxBytes);
      if (isTooMuch) {
        const message = `media ${media.id} is too long or too large for a story of Instagram (60 s, 100 MB at most)`;
        return { outcome: 'refused', code: 'too_long', message };
      }
      const field = mediaField(step, media);
      if ('outcome' in field) return field;
      await container(step, urls, { name: 'story', form: { media_type: 'STORIES', ...field } });
      return finished(step, urls, ['story']);
    },
    async send(step) {
      const creation_id = v.parse(v.string(), step.handle.story);
      const url = `${graphOf(step, urls)}/${step.credentials.ig_user_id}/media_publish`;
      await step.call(Id, { kind: 'send', method: 'POST', url, body: { form: { creation_id } } });
    },
  };
}
