import * as v from 'valibot';
import { PLATFORMS } from '../channels/platform.ts';
import { TargetOptions } from './target-options.ts';

export const POST_STATUSES = ['draft', 'queued', 'posting', 'partial', 'posted', 'failed'] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

export const TARGET_STATUSES = [
  'pending',
  'posting',
  'awaiting_platform',
  'posted',
  'failed',
  'skipped',
] as const;

/** The row of a post. */
export const PostRow = v.object({
  id: v.string(),
  workspace_id: v.string(),
  status: v.picklist(POST_STATUSES),
  caption: v.string(),
  media_ids: v.array(v.string()),
  /** The targets' channels in the order they were given. */
  channel_ids: v.array(v.string()),
  scheduled_for: v.nullable(v.string()),
  /** When it was last accepted for publishing. */
  queued_at: v.nullable(v.string()),
  /** Raised when a post is unscheduled: what is still under way for the old number finds nothing to do. */
  generation: v.number(),
  /** Raised with every edit, so that an edit of a stale reading is noticed. */
  revision: v.number(),
  /** While it is being published: targets that have not ended, and targets that were posted. */
  open_targets: v.optional(v.number(), 0),
  posted_targets: v.optional(v.number(), 0),
  source: v.picklist(['api', 'discovered']),
  created_at: v.string(),
  updated_at: v.string(),
});
export type PostRow = v.InferOutput<typeof PostRow>;

/** The row of a post's target: what was asked for, and how publishing it goes. */
export const TargetRow = v.object({
  id: v.string(),
  workspace_id: v.string(),
  post_id: v.string(),
  channel_id: v.string(),
  platform: v.picklist(PLATFORMS),
  status: v.picklist(TARGET_STATUSES),
  /** Its own caption; without one the post's applies, also after an edit. */
  caption: v.nullable(v.string()),
  title: v.nullable(v.string()),
  description: v.nullable(v.string()),
  options: v.nullable(TargetOptions),
  external_post_id: v.nullable(v.string()),
  external_post_url: v.nullable(v.string()),
  error_message: v.nullable(v.string()),
});
export type TargetRow = v.InferOutput<typeof TargetRow>;

/** A post with its targets in the order of its channels. */
export interface WholePost<Target extends TargetRow = TargetRow> {
  readonly post: PostRow;
  readonly targets: readonly Target[];
}

const Timestamp = v.pipe(v.string(), v.isoTimestamp());
const Id = v.pipe(v.string(), v.uuid());

/** How one channel of a post stands, as clients see it. */
export const PostChannelStatus = v.object({
  id: Id,
  channel_id: Id,
  platform: v.picklist(PLATFORMS),
  status: v.picklist(TARGET_STATUSES),
  external_post_id: v.nullable(v.string()),
  external_post_url: v.nullable(v.string()),
  error_message: v.nullable(v.string()),
  options: v.nullable(TargetOptions),
});

/** A post as clients see it. */
export const Post = v.object({
  id: Id,
  status: v.picklist(POST_STATUSES),
  caption: v.string(),
  media_ids: v.array(Id),
  channels: v.array(PostChannelStatus),
  scheduled_for: v.nullable(Timestamp),
  review_url: v.pipe(v.string(), v.url()),
  created_at: Timestamp,
  updated_at: Timestamp,
  meta: v.pipe(v.record(v.string(), v.unknown()), v.description('Answers to creations carry a `note`.')),
  source: v.picklist(['api', 'discovered']),
});
export type Post = v.InferOutput<typeof Post>;

/** Shows a post to its workspace. */
export function showPost({ post, targets }: WholePost, reviewUrl: string, note?: string): Post {
  return {
    id: post.id,
    status: post.status,
    caption: post.caption,
    media_ids: post.media_ids,
    channels: targets.map((target) => ({
      id: target.id,
      channel_id: target.channel_id,
      platform: target.platform,
      status: target.status,
      external_post_id: target.external_post_id,
      external_post_url: target.external_post_url,
      error_message: target.error_message,
      options: target.options,
    })),
    scheduled_for: post.scheduled_for,
    review_url: `${reviewUrl}/posts/${post.id}`,
    created_at: post.created_at,
    updated_at: post.updated_at,
    meta: note === undefined ? {} : { note },
    source: post.source,
  };
}
