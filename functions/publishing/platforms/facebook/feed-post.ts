import * as v from 'valibot';
import type { Published, Refused } from '../../publisher.ts';
import { imageUrl } from '../image-form.ts';
import type { Looked, Waiting } from '../social-platform.ts';
import { Done, type FacebookStep, type GraphUrl, Id, textOf } from './facebook-step.ts';

/** Photos are taken up to 10 MB; above 4 MB some were refused, so larger ones go as the JPEG made of them. */
export const FACEBOOK_PHOTO = { mimes: ['image/jpeg', 'image/png'], maxBytes: 4_000_000 } as const;

const Text = v.string();
const Shown = v.object({ is_published: v.boolean(), permalink_url: v.optional(v.string()) });

/**
 * Text and photos: an unpublished post is made first, whose id is stored; publishing then only turns it on.
 * However often that is done, there is one post. Lost on the way there stays only what nobody sees.
 */
export async function prepareFeedPost(
  step: FacebookStep,
  graph: GraphUrl,
): Promise<'ready' | Refused | Waiting> {
  const { media, target } = step.job;
  const page = step.credentials.page_id;
  const photos: string[] = [];
  for (const [index, each] of media.entries()) {
    const form = imageUrl(each, FACEBOOK_PHOTO, step.files);
    if (form.outcome !== 'url') return form;
    const photo = await step.once(`photo_${index}`, Text, () =>
      uploadPhoto(step, graph, { url: form.url, altText: target.options?.image_alt_texts?.[index] }),
    );
    photos.push(photo);
  }
  await step.once('post_id', Text, async () => {
    const attached = photos.map((media_fbid) => ({ media_fbid }));
    const { id } = await step.call(Id, {
      kind: 'prepare',
      method: 'POST',
      url: `${graph}/${page}/feed`,
      body: {
        form: {
          message: textOf(step),
          published: false,
          attached_media: attached.length > 0 ? JSON.stringify(attached) : undefined,
        },
      },
    });
    return id;
  });
  return 'ready';
}

/** Uploads a photo that nobody sees yet. */
export async function uploadPhoto(
  step: FacebookStep,
  graph: GraphUrl,
  { url, altText }: { url: string; altText?: string | undefined },
): Promise<string> {
  const { id } = await step.call(Id, {
    kind: 'upload',
    method: 'POST',
    url: `${graph}/${step.credentials.page_id}/photos`,
    body: { form: { url, alt_text_custom: altText || undefined, published: false } },
  });
  return id;
}

export async function sendFeedPost(step: FacebookStep, graph: GraphUrl): Promise<Omit<Published, 'outcome'>> {
  const id = v.parse(Text, step.handle.post_id);
  await step.call(Done, {
    kind: 'send',
    method: 'POST',
    url: `${graph}/${id}`,
    body: { form: { is_published: true } },
  });
  return { externalPostId: id, externalPostUrl: `https://www.facebook.com/${id}` };
}

/** The post tells by its id whether it is on; if not, turning it on again makes no second one. */
export async function verifyFeedPost(step: FacebookStep, graph: GraphUrl): Promise<Looked> {
  const id = v.parse(Text, step.handle.post_id);
  const shown = await step.call(Shown, {
    kind: 'probe',
    method: 'GET',
    url: `${graph}/${id}`,
    query: { fields: 'is_published,permalink_url' },
  });
  if (!shown.is_published) {
    return { outcome: 'absent', code: 'not_published', message: 'Facebook has not published it yet' };
  }
  const externalPostUrl = shown.permalink_url ?? `https://www.facebook.com/${id}`;
  return { outcome: 'posted', externalPostId: id, externalPostUrl };
}
