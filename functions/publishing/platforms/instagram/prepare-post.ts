import * as v from 'valibot';
import type { MediaRow } from '../../../media/media.ts';
import { HOUR_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Refused } from '../../publisher.ts';
import type { Fields } from '../call-body.ts';
import { imageUrl } from '../image-form.ts';
import type { Waiting } from '../social-platform.ts';
import { container, finished } from './containers.ts';
import {
  altTextOf,
  graphOf,
  INSTAGRAM_IMAGE,
  type InstagramStep,
  type InstagramUrls,
  textOf,
} from './instagram-step.ts';

const Quota = v.object({
  data: v.array(v.object({ quota_usage: v.number(), config: v.object({ quota_total: v.number() }) })),
});

/** What the address of a file is called in a container, by its kind. */
type MediaField = { readonly image_url: string } | { readonly video_url: string };

/**
 * Makes the container of the post and waits until it can be published: an image, a reel, or a carousel with
 * one container for each of its items. Nobody sees any of them, so one too many does no harm.
 */
export async function preparePost(
  step: InstagramStep,
  urls: InstagramUrls,
): Promise<'ready' | Refused | Waiting> {
  const [first, ...more] = step.job.media;
  if (!first) {
    return { outcome: 'refused', code: 'no_media', message: 'Instagram posts need an image or a video' };
  }
  if (step.handle.post === undefined) {
    const full = await quotaReached(step, urls);
    if (full) return full;
  }
  const { options } = step.job.target;
  const words = { caption: textOf(step), collaborators: listed(options?.collaborators) };
  if (more.length === 0) {
    const field = mediaField(step, first);
    if ('outcome' in field) return field;
    const form =
      first.kind === 'video'
        ? { media_type: 'REELS', ...field, ...words, share_to_feed: options?.share_to_feed }
        : { ...field, ...words, alt_text: altTextOf(step, first) };
    await container(step, urls, { name: 'post', form });
    return finished(step, urls, ['post']);
  }
  const names: string[] = [];
  for (const [index, each] of step.job.media.entries()) {
    const field = mediaField(step, each);
    if ('outcome' in field) return field;
    const kind: Fields =
      each.kind === 'video' ? { media_type: 'VIDEO' } : { alt_text: altTextOf(step, each) };
    const name = `item_${index}`;
    await container(step, urls, { name, form: { ...field, ...kind, is_carousel_item: true } });
    names.push(name);
  }
  const items = await finished(step, urls, names);
  if (items !== 'ready') return items;
  const children = names.map((name) => step.handle[name]).join(',');
  await container(step, urls, { name: 'post', form: { media_type: 'CAROUSEL', children, ...words } });
  return finished(step, urls, ['post']);
}

/** A list as the Graph API takes one in a form. */
const listed = (names: readonly string[] | undefined): string | undefined =>
  names && names.length > 0 ? JSON.stringify(names) : undefined;

/** The address Instagram fetches a file from. */
export function mediaField(step: InstagramStep, media: MediaRow): MediaField | Refused | Waiting {
  if (media.kind === 'video') return { video_url: step.files.publicUrl(media) };
  const form = imageUrl(media, INSTAGRAM_IMAGE, step.files);
  return form.outcome === 'url' ? { image_url: form.url } : form;
}

/** Asked before anything is made: a post over the account's own number a day would be refused at its end. */
async function quotaReached(step: InstagramStep, urls: InstagramUrls): Promise<Waiting | undefined> {
  const answer = await step.ask({
    kind: 'probe',
    method: 'GET',
    url: `${graphOf(step, urls)}/${step.credentials.ig_user_id}/content_publishing_limit`,
    query: { fields: 'quota_usage,config' },
  });
  const read = answer.outcome === 'answered' ? v.safeParse(Quota, answer.body) : undefined;
  const [quota] = read?.success ? read.output.data : [];
  if (!quota || quota.quota_usage < quota.config.quota_total) return undefined;
  await step.job.pause({ scope: 'channel', untilMs: step.job.clock() + HOUR_MS });
  const message = `Instagram: the account has reached its ${quota.config.quota_total} posts in 24 hours; this goes out as soon as it may`;
  return { outcome: 'waiting', code: 'quota', message, forMs: HOUR_MS + SECOND_MS };
}
