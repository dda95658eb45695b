import * as v from 'valibot';

/** All of them must be there. */
const Toggle = v.boolean();
/** The announcement of a video; without `post_info` into the inbox. */
export const VideoRequest = v.object({
  post_info: v.optional(
    v.object({
      title: v.pipe(v.string(), v.maxLength(2200)),
      privacy_level: v.string(),
      disable_comment: Toggle,
      disable_duet: Toggle,
      disable_stitch: Toggle,
      is_aigc: Toggle,
      brand_content_toggle: Toggle,
      brand_organic_toggle: Toggle,
    }),
  ),
  source_info: v.object({
    source: v.literal('FILE_UPLOAD'),
    video_size: v.number(),
    chunk_size: v.number(),
    total_chunk_count: v.number(),
  }),
});
/** The announcement of photos, which is their post. */
export const PhotoRequest = v.object({
  media_type: v.literal('PHOTO'),
  post_mode: v.picklist(['DIRECT_POST', 'MEDIA_UPLOAD']),
  is_aigc: Toggle,
  post_info: v.looseObject({
    title: v.optional(v.pipe(v.string(), v.maxLength(90))),
    description: v.pipe(v.string(), v.maxLength(4000)),
    privacy_level: v.optional(v.string()),
  }),
  source_info: v.object({
    source: v.literal('PULL_FROM_URL'),
    photo_images: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(35)),
    photo_cover_index: v.number(),
  }),
});
