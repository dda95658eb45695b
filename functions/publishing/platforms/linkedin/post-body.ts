import type { Job } from '../../publisher.ts';
import { captionOf } from '../../target.ts';
import { littleText } from './little-text.ts';

/**
 * The body of a post, as text: should it have to be sent again, it must be the same to the byte, since that
 * is how LinkedIn knows a repeat.
 *
 * @param assets the URNs of the uploaded media, in the post's order.
 */
export function postBody(
  { target, post, media }: Pick<Job, 'target' | 'post' | 'media'>,
  { author, assets }: { author: string; assets: readonly string[] },
): string {
  const options = target.options ?? {};
  const altTexts = options.image_alt_texts ?? [];
  const images = assets.map((id, index) => ({ id, ...(altTexts[index] && { altText: altTexts[index] }) }));
  const [first] = images;
  const content =
    media[0]?.kind === 'video'
      ? { media: { id: assets[0] } }
      : images.length > 1
        ? { multiImage: { images } }
        : { media: first };
  return JSON.stringify({
    author,
    commentary: littleText(captionOf(target, post)),
    visibility: options.visibility ?? 'PUBLIC',
    distribution: {
      feedDistribution: 'MAIN_FEED',
      targetEntities: [],
      thirdPartyDistributionChannels: [],
    },
    ...(assets.length > 0 && { content }),
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: options.reshare_disabled === true,
  });
}
