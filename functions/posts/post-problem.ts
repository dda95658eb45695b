import { RequestError } from '../shared/request-error.ts';

/** Why a post cannot be taken as it is asked for. All but the first two are for programs to act on. */
export interface PostProblem {
  /** Where a request has it, or would have it to change it: `body.channels.0.options.tags`. */
  readonly path: string;
  readonly message: string;
  readonly channel_id?: string;
  readonly platform?: string;
  readonly rule?: string;
  readonly limit?: number;
  readonly media_id?: string;
  /** What is taken instead. */
  readonly accepts?: readonly string[];
  /** Where the same was named before. */
  readonly same_as?: string;
}

/** Each of 25 channels can refuse each of 10 files; nobody reads on after so many. */
const LISTED_PROBLEMS = 100;

/** The refusal of a post: `message` and `details` tell the first problem, `details.issues` lists them. */
export function refusalOf(problems: readonly [PostProblem, ...PostProblem[]]): RequestError {
  const [{ message, ...facts }] = problems;
  return new RequestError('unprocessable', message, {
    details: { ...facts, issues: problems.slice(0, LISTED_PROBLEMS) },
  });
}

/** @throws {RequestError} unprocessable, for all problems at once, if there are any. */
export function refuseFor([first, ...others]: readonly PostProblem[]): void {
  if (first) throw refusalOf([first, ...others]);
}
