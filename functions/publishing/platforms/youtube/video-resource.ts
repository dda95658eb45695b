import * as v from 'valibot';
import { deriveTitle } from '../../../channels/youtube-text.ts';
import type { Job, Published } from '../../publisher.ts';
import { captionOf } from '../../target.ts';

/** "People & Blogs": where YouTube's own samples put what says nothing of its kind. */
const DEFAULT_CATEGORY = '22';

/** What a video is to be, as videos.insert takes it. Declarations that were not made are left to the channel's defaults. */
export function videoResource({ target, post }: Pick<Job, 'target' | 'post'>): VideoResource {
  const options = target.options ?? {};
  const caption = captionOf(target, post);
  return {
    snippet: {
      title: target.title ?? deriveTitle(caption),
      description: target.description ?? caption,
      tags: options.tags,
      categoryId: options.category_id ?? DEFAULT_CATEGORY,
    },
    status: {
      privacyStatus: options.privacy_status ?? 'public',
      selfDeclaredMadeForKids: options.made_for_kids,
      containsSyntheticMedia: options.contains_synthetic_media,
    },
  };
}

interface VideoResource {
  readonly snippet: {
    readonly title: string;
    readonly description: string;
    readonly tags: readonly string[] | undefined;
    readonly categoryId: string;
  };
  readonly status: {
    readonly privacyStatus: 'public' | 'unlisted' | 'private';
    readonly selfDeclaredMadeForKids: boolean | undefined;
    readonly containsSyntheticMedia: boolean | undefined;
  };
}

/** A video that YouTube has, as its answer shows it. */
export const Video = v.object({
  id: v.pipe(v.string(), v.nonEmpty()),
  status: v.optional(
    v.object({
      privacyStatus: v.optional(v.string()),
      uploadStatus: v.optional(v.string()),
      rejectionReason: v.optional(v.string()),
      failureReason: v.optional(v.string()),
    }),
  ),
});
export type Video = v.InferOutput<typeof Video>;

export const watchUrl = (id: string): string => `https://www.youtube.com/watch?v=${id}`;

/** The post a video is, with what its owner should know. */
export function publishedVideo(
  job: Pick<Job, 'target' | 'post' | 'media'>,
  { id, status }: Video,
): Omit<Published, 'outcome'> {
  const wanted = videoResource(job).status.privacyStatus;
  const got = status?.privacyStatus;
  const warnings = [
    ...(got !== undefined && got !== wanted
      ? [
          `YouTube made the video ${got} although ${wanted} was asked for; projects it has not audited can publish private videos only, so change it in YouTube Studio`,
        ]
      : []),
    ...(status?.uploadStatus === 'rejected' || status?.uploadStatus === 'failed'
      ? [`YouTube ${status.uploadStatus} the video (${status.rejectionReason ?? status.failureReason})`]
      : []),
  ];
  const poster = job.media[0]?.posters[0];
  return {
    externalPostId: id,
    externalPostUrl: watchUrl(id),
    ...(warnings.length > 0 && { warning: warnings.join('; ') }),
    ...(poster && { followUps: [{ kind: 'thumbnail', handle: { video_id: id } }] }),
  };
}
