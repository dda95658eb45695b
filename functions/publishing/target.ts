import * as v from 'valibot';
import { type PostRow, TargetRow } from '../posts/post.ts';
import { FOLLOW_UP_KINDS, STAGES } from './stages.ts';

/** What a publisher must remember between steps, such as ids the platform gave; plain JSON, no secrets. */
export const Handle = v.record(v.string(), v.unknown());
export type Handle = v.InferOutput<typeof Handle>;

/** A target that is being published. */
export const PublishingTarget = v.object({
  ...TargetRow.entries,
  generation: v.number(),
  stage: v.picklist(STAGES),
  /** Raised by every worker that takes the target up; writes of earlier ones are refused. */
  fence: v.optional(v.number(), 0),
  /** Until then the worker holding the fence works on it. */
  lease_until: v.optional(v.string()),
  handle: v.optional(Handle, {}),
  /** Sends begun so far. */
  sends: v.optional(v.number(), 0),
  first_sent_at: v.optional(v.string()),
  /** Times in a row it was taken up without an outcome. */
  interruptions: v.optional(v.number(), 0),
  /** No step is taken before. */
  next_attempt_at: v.optional(v.string()),
  /** Looks for proof so far, since the last send. */
  looks: v.optional(v.number(), 0),
});
export type PublishingTarget = v.InferOutput<typeof PublishingTarget>;

/** Says that a target may have a next step to take. Only its row knows whether it has. */
export const PublishMessage = v.object({
  workspace_id: v.string(),
  post_id: v.string(),
  channel_id: v.string(),
  generation: v.number(),
  /** Present: it is about what follows the post on this channel. */
  follow_up: v.optional(v.picklist(FOLLOW_UP_KINDS)),
});
export type PublishMessage = v.InferOutput<typeof PublishMessage>;

/** Names a target. */
export type TargetName = Pick<PublishMessage, 'workspace_id' | 'post_id' | 'channel_id'>;

/** The caption that goes out on a target. */
export const captionOf = (target: Pick<TargetRow, 'caption'>, post: Pick<PostRow, 'caption'>): string =>
  target.caption ?? post.caption;

/** When the post was meant to go out: its time, or the moment it was published without one. */
export const plannedFor = (post: PostRow): string => post.scheduled_for ?? post.queued_at ?? post.created_at;
