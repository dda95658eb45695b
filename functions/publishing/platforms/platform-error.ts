import type { ChannelEvent } from '../../channels/channel-states.ts';

/**
 * What a platform's refusal means for what we do next. `later`: a limit, which waiting heals and which counts
 * as no attempt. `check`: the outcome is not known, so look before anything is sent again.
 */
export type ErrorClass = 'retry' | 'later' | 'reconnect' | 'permanent' | 'check';

/** One row of a platform's table of errors. */
export interface ErrorRule {
  readonly class: ErrorClass;
  /** For people, after "Facebook: ": what failed, whose fault it is, what to do. */
  readonly text: string;
  /** What it says about the channel, where it says so explicitly; without one the channel stays as it is. */
  readonly event?: ChannelEvent;
  /** `later`: how long, where the answer does not say. */
  readonly waitSeconds?: number;
}

/** A refusal in an answer. */
export interface PlatformError extends ErrorRule {
  /** The platform's own code, for the attempt's row. */
  readonly code: string;
  /** When the platform said to come back, in milliseconds since the epoch. */
  readonly atMs?: number;
}

/** Ends a step of a publisher from within its calls; caught where steps are run; who catches it before throws another. */
export class StepEnded extends Error {
  readonly trouble: StepTrouble;

  constructor(trouble: StepTrouble) {
    super(`the step ended: ${trouble.reason}`);
    this.trouble = trouble;
  }
}

/** Why a call did not bring what it was made for. `unclear`: it may have had its effect. */
export type StepTrouble =
  | { readonly reason: 'not sent'; readonly code: string }
  | { readonly reason: 'unclear'; readonly code: string }
  | { readonly reason: 'refused'; readonly error: PlatformError };

/** What an answer says by its status alone, where the platform's table knows no better. */
export function errorByStatus(status: number, said: string | undefined): PlatformError | undefined {
  if (status < 400) return undefined;
  const code = `http_${status}`;
  if (status === 429) return { class: 'later', code, text: 'its limit of requests is reached; we wait' };
  if (status >= 500 || status === 408) return { class: 'retry', code, text: 'it failed on its side' };
  return { class: 'permanent', code, text: `it refused this${said ? `: ${said}` : ''}` };
}
