import * as v from 'valibot';
import type { FacebookCredentials } from '../../../channels/credentials.ts';
import type { Refused } from '../../publisher.ts';
import { imageUrl } from '../image-form.ts';
import type { FollowUp, Waiting } from '../social-platform.ts';
import { Done, type FacebookStep, type GraphUrl } from './facebook-step.ts';
import { FACEBOOK_PHOTO, uploadPhoto } from './feed-post.ts';
import { prepareReel } from './video-post.ts';

/** Page stories API: a story's video lasts 60 s at most. */
const MAX_STORY_MS = 60_000;

/** Shares the first file to the Page's stories. It is uploaded anew: what is in a post already is refused. */
export function facebookStory(graph: GraphUrl): FollowUp<FacebookCredentials> {
  return {
    prepare: (step) => prepareStory(step, graph),
    async send(step) {
      const page = `${graph}/${step.credentials.page_id}`;
      const { photo, video } = v.parse(
        v.object({ photo: v.optional(v.string()), video: v.optional(v.object({ video_id: v.string() })) }),
        step.handle,
      );
      const form = video ? { upload_phase: 'finish', video_id: video.video_id } : { photo_id: photo };
      const url = `${page}/${video ? 'video_stories' : 'photo_stories'}`;
      await step.call(Done, { kind: 'send', method: 'POST', url, body: { form } });
    },
  };
}

async function prepareStory(step: FacebookStep, graph: GraphUrl): Promise<'ready' | Refused | Waiting> {
  const [media] = step.job.media;
  if (!media)
    return { outcome: 'refused', code: 'no_media', message: 'there is nothing to share to a story' };
  if (media.kind === 'video') {
    if ((media.duration_ms ?? 0) > MAX_STORY_MS) {
      const message = `media ${media.id} is too long for a story of Facebook (60 s at most)`;
      return { outcome: 'refused', code: 'too_long', message };
    }
    return prepareReel(step, graph, 'video_stories');
  }
  const form = imageUrl(media, FACEBOOK_PHOTO, step.files);
  if (form.outcome !== 'url') return form;
  await step.once('photo', v.string(), () => uploadPhoto(step, graph, { url: form.url }));
  return 'ready';
}
