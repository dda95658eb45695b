import * as v from 'valibot';
import { MEDIA_KINDS } from '../channels/platform.ts';
import { dueAt, indexPartition } from '../shared/table/indexes.ts';
import { keys, type Row } from '../shared/table/keys.ts';

/** Whether the bytes are there: still on their way from a URL, stored for good, or given up. */
export const MEDIA_STATUSES = ['arriving', 'ready', 'failed'] as const;

/** How the asynchronous work on a file stands: its size, its duration, its thumbnails. */
export const THUMBNAIL_STATUSES = ['pending', 'processing', 'ready', 'failed'] as const;

/** The thumbnails by name, each with the longest side it may have, in pixels. */
export const THUMBNAIL_SIDES = { thumb: 160, preview: 640, display: 1600 } as const;

const StoredImage = v.object({
  object_key: v.string(),
  width: v.number(),
  height: v.number(),
  mime: v.optional(v.picklist(['image/jpeg', 'image/webp']), 'image/jpeg'),
  bytes: v.optional(v.number(), 0),
  etag: v.optional(v.nullable(v.string()), null),
});
export type StoredImage = v.InferOutput<typeof StoredImage>;

/** A frame of a video that can serve as its poster; it is sent to platforms, so its very bytes are named. */
const Poster = v.object({ ...StoredImage.entries, bytes: v.number(), etag: v.string() });
export type Poster = v.InferOutput<typeof Poster>;

const thumbnailsOf = <const Image extends v.GenericSchema>(image: Image) =>
  v.object({ thumb: image, preview: image, display: image });

/** The row of a media file. Its bytes lie under `object_key` and never change once `status` is ready. */
export const MediaRow = v.object({
  id: v.string(),
  workspace_id: v.string(),
  kind: v.picklist(MEDIA_KINDS),
  /** Of the file that is served; while it arrives, what its source announced. */
  bytes: v.number(),
  mime: v.string(),
  filename: v.nullable(v.string()),
  object_key: v.string(),
  /** Of the stored object; readers ask for exactly this one. Null until it is stored. */
  etag: v.nullable(v.string()),
  status: v.picklist(MEDIA_STATUSES),
  /** Where it is fetched from; null for uploads. */
  source_url: v.nullable(v.string()),
  /** Why it never arrived, or why there are no thumbnails; for people. */
  failure: v.nullable(v.string()),
  thumbnail_status: v.picklist(THUMBNAIL_STATUSES),
  /** As displayed: a photo taken upright is higher than wide, however its pixels are stored. */
  width: v.nullable(v.number()),
  height: v.nullable(v.number()),
  duration_ms: v.nullable(v.number()),
  thumbnails: v.nullable(thumbnailsOf(StoredImage)),
  /** Frames of a video that can serve as its poster. */
  posters: v.optional(v.array(Poster), []),
  /** Raised by every worker that takes the file up; writes of earlier ones are refused. */
  fence: v.optional(v.number(), 0),
  /** Until then the worker holding the fence works on it. */
  lease_until: v.optional(v.string()),
  created_at: v.string(),
});
export type MediaRow = v.InferOutput<typeof MediaRow>;

/** Reads a media row. */
export const readMedia = (row: Row): MediaRow => v.parse(MediaRow, row);

/** A row as it is written; `wakeAt` is when the sweeper must look at it, null when nothing is left to happen. */
export const mediaItem = (media: MediaRow, wakeAt: string | null): Row => ({
  ...keys.media(media.workspace_id, media.id),
  ...media,
  media_of_kind: mediaOfKind(media.workspace_id, media.kind),
  ...(wakeAt !== null && dueAt(media.id, wakeAt)),
});

/** The partition of the index that lists one kind. */
export const mediaOfKind = (workspaceId: string, kind: MediaRow['kind']): string =>
  indexPartition(workspaceId, kind);

/** Media as its creation shows it. */
export const CreatedMedia = v.object({
  id: v.pipe(v.string(), v.uuid()),
  kind: v.picklist(MEDIA_KINDS),
  bytes: v.pipe(v.number(), v.integer()),
  mime: v.string(),
  filename: v.nullable(v.string()),
  url: v.pipe(v.string(), v.url(), v.description('Public address of the original.')),
  thumbnail_status: v.picklist(THUMBNAIL_STATUSES),
});
export type CreatedMedia = v.InferOutput<typeof CreatedMedia>;

const Pixels = v.nullable(v.pipe(v.number(), v.integer()));

/** Media as lists and GET show it. */
export const Media = v.object({
  ...CreatedMedia.entries,
  width: Pixels,
  height: Pixels,
  duration_ms: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('Of a video.')),
  thumbnails: v.nullable(
    thumbnailsOf(
      v.object({
        url: v.pipe(v.string(), v.url()),
        width: v.pipe(v.number(), v.integer()),
        height: v.pipe(v.number(), v.integer()),
      }),
    ),
  ),
  created_at: v.pipe(v.string(), v.isoTimestamp()),
  error_message: v.pipe(
    v.nullable(v.string()),
    v.description('Why the file did not arrive or has no thumbnails. An addition of this service.'),
  ),
});
export type Media = v.InferOutput<typeof Media>;

/** What every public object's key begins with; the public address has the media URL in its place. */
export const PUBLIC_PREFIX = 'media/';

/** The public address of an object. Its key holds 128 random bits, so it cannot be guessed. */
export const publicUrl = (objectKey: string, mediaUrl: string): string =>
  `${mediaUrl}/${objectKey.slice(PUBLIC_PREFIX.length)}`;

/** Shows media to the one who has just created it. */
export const showCreatedMedia = (media: MediaRow, mediaUrl: string): CreatedMedia => ({
  id: media.id,
  kind: media.kind,
  bytes: media.bytes,
  mime: media.mime,
  filename: media.filename,
  url: publicUrl(media.object_key, mediaUrl),
  thumbnail_status: media.thumbnail_status,
});

/** Shows media with what is known of it by now. */
export function showMedia(media: MediaRow, mediaUrl: string): Media {
  const shown = ({ object_key, width, height }: StoredImage) => ({
    url: publicUrl(object_key, mediaUrl),
    width,
    height,
  });
  const { thumbnails } = media;
  return {
    ...showCreatedMedia(media, mediaUrl),
    width: media.width,
    height: media.height,
    duration_ms: media.duration_ms,
    thumbnails: thumbnails && {
      thumb: shown(thumbnails.thumb),
      preview: shown(thumbnails.preview),
      display: shown(thumbnails.display),
    },
    created_at: media.created_at,
    error_message: media.failure,
  };
}
