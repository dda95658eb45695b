import type { FollowedUp, Published, Refused, Trouble } from '../publisher.ts';
import type { FollowUpKind } from '../stages.ts';
import type { PlatformError } from './platform-error.ts';
import type { PlatformDialect, Step } from './step.ts';

/** What a platform adds to what all of them share: a publisher is written as one of these. */
export interface SocialPlatform<Credentials> extends PlatformDialect<Credentials> {
  /** As people call it. */
  readonly name: string;
  readonly maxSends: number;
  /** How long a send may take. @default 65 s: one irreversible call of at most 60 s, and what is around it */
  readonly sendMs?: number;
  /** Waits between looks after a send, in seconds; the last one repeats. */
  readonly looksSeconds: readonly number[];
  /** For how long after the first send it is looked for. */
  readonly horizonMs: number;
  /**
   * Whether a refusal of the irreversible call is believed. Where a platform can tell afterwards what became
   * of a send, nothing it says at the time need be.
   */
  readonly believes: (error: PlatformError) => boolean;
  /** Repeatable. What it makes goes into the handle, by `step.once` and `step.keep`. */
  prepare(step: Step<Credentials>): Promise<'ready' | Refused | Waiting>;
  send(step: Step<Credentials>): Promise<Omit<Published, 'outcome'> | Processing>;
  verify(step: Step<Credentials>): Promise<Looked>;
  readonly followUps?: Partial<Record<FollowUpKind, FollowUp<Credentials>>>;
}

/**
 * Preparing has to wait for something that takes its time; that is no failed attempt. `isOurs` where the platform
 * has no part in it.
 */
export type Waiting = {
  readonly outcome: 'waiting';
  readonly forMs: number;
  readonly isOurs?: boolean;
} & Trouble;

/** The platform has it and is still at it; it is looked for from now on. */
export type Processing = { readonly outcome: 'processing' } & Trouble;

/** What a look showed. `absent` only with proof that nothing is there. */
export type Looked =
  | Published
  | Refused
  | Processing
  | ({ readonly outcome: 'absent' } & Trouble)
  | ({ readonly outcome: 'unknown' } & Trouble);

/** Something done after a post is out; whatever becomes of it, the post stays posted. */
export interface FollowUp<Credentials> {
  /** Repeatable. `done` where nothing irreversible is needed. */
  prepare(
    step: Step<Credentials>,
  ): Promise<'ready' | Extract<FollowedUp, { outcome: 'done' }> | Refused | Waiting>;
  /** The irreversible part, made at most once. */
  send?(step: Step<Credentials>): Promise<void>;
}
