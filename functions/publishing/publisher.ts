import type { ChannelRow } from '../channels/channel.ts';
import type { ChannelEvent } from '../channels/channel-states.ts';
import type { Fresh, Refresh } from '../channels/fresh-credentials.ts';
import type { MediaRow } from '../media/media.ts';
import type { PostRow } from '../posts/post.ts';
import type { Clock } from '../shared/clock.ts';
import type { FollowUpKind, FollowUpStage } from './stages.ts';
import type { Handle, PublishingTarget } from './target.ts';

/** One target to be published, with all that is known of it. */
export interface Job {
  readonly post: PostRow;
  readonly target: PublishingTarget;
  readonly channel: ChannelRow;
  /** The post's media, in its order. */
  readonly media: readonly MediaRow[];
  readonly handle: Handle;
  /** Opens the channel's sealed credentials. */
  readonly credentials: () => Promise<unknown>;
  /** Opens them renewed, where that is due or `refused` says that they are no longer taken. */
  readonly freshCredentials: (how: { refresh: Refresh; refused: boolean }) => Promise<Fresh>;
  /** The platform said something about the connection itself, in explicit words. */
  readonly channelEvent: (event: ChannelEvent) => Promise<void>;
  /** The platform asked for a rest: nothing is published for the channel, or our whole app, until then. */
  readonly pause: (rest: { scope: 'channel' | 'app'; untilMs: number }) => Promise<void>;
  readonly clock: Clock;
  /** When the step must be over, in milliseconds since the epoch; what is under way then must be abandoned. */
  readonly deadlineMs: number;
}

/** Why a step did not succeed. `code` is the platform's own, for the attempt's row; `message` is for people. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
}

export interface Published {
  readonly outcome: 'posted';
  readonly externalPostId?: string;
  readonly externalPostUrl?: string;
  /** Something a person should know although it was posted. */
  readonly warning?: string;
  /** What is still to be done now that it is out; the post is posted whatever becomes of it. */
  readonly followUps?: readonly { readonly kind: FollowUpKind; readonly handle: Handle }[];
}
/** A definite no: trying again would not help. */
export type Refused = { readonly outcome: 'refused' } & Trouble;
/** Not done, and surely without effect; worth another try at that time. */
export type Retry = { readonly outcome: 'retry'; readonly atMs: number } & Trouble;

/** Something of ours must come first, such as a file on its way: nothing was tried, so no attempt is recorded. */
export type Awaiting = {
  readonly outcome: 'waiting';
  readonly atMs: number;
  readonly handle?: Handle;
} & Trouble;

export type Prepared =
  | { readonly outcome: 'ready'; readonly handle: Handle }
  | Refused
  | (Retry & { handle?: Handle })
  | Awaiting;
export type Sent =
  | Published
  | Refused
  | (Retry & { handle?: Handle })
  | ({ readonly outcome: 'ambiguous'; readonly handle?: Handle } & Trouble);
export type Verified =
  | Published
  | Refused
  | Retry
  /** The platform is still at it. */
  | ({ readonly outcome: 'processing'; readonly atMs: number } & Trouble)
  /** Proved not to be there: it may be sent again, under the same handle. */
  | ({ readonly outcome: 'absent' } & Trouble)
  /** No proof can be had any more. */
  | ({ readonly outcome: 'unknown' } & Trouble);

/** What came of a step of a follow-up. `id` and `url` are the post's, where they were what it looked for. */
export type FollowedUp =
  | { readonly outcome: 'done'; readonly id?: string; readonly url?: string }
  | { readonly outcome: 'ready'; readonly handle: Handle }
  | Refused
  | (Retry & { handle?: Handle });

/**
 * What a platform plugs into the stage machine. Steps return outcomes; what they throw is a fault of ours,
 * after which the target is taken up again from the stage it was in.
 */
export interface Publisher {
  /** How often a target is sent at most, the first time included. */
  readonly maxSends: number;
  /** Whether a send of unknown fate may be repeated at once, since its receiver can tell a repeat. @default false */
  readonly isRepeatable?: boolean;
  /** How long preparing may take, in milliseconds. @default 10 minutes */
  readonly prepareMs?: number;
  /** How long a send may take from its first byte to its answer. */
  sendMs(job: Job): number;
  /**
   * Repeatable: uploads, containers, tokens. What it makes is in the handle, stored before anything is sent. Comes
   * before every send but one proved absent, so what a handle already has is not made again while it holds.
   */
  prepare(job: Job): Promise<Prepared>;
  /** The one irreversible step. No layer below may repeat it by itself. */
  send(job: Job): Promise<Sent>;
  /** Looks for evidence of what became of a send. */
  verify(job: Job): Promise<Verified>;
  /** A step of what follows a post that is out. */
  followUp?(kind: FollowUpKind, stage: FollowUpStage, job: Job): Promise<FollowedUp>;
}
