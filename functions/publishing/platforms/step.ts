import * as v from 'valibot';
import type { Refresh } from '../../channels/fresh-credentials.ts';
import type { MediaFiles } from '../../media/media-files.ts';
import type { Job } from '../publisher.ts';
import type { Handle } from '../target.ts';
import type { PlatformAnswer, PlatformCall, PlatformClient } from './platform-client.ts';
import { type PlatformError, StepEnded } from './platform-error.ts';

/** A rest a platform asked for, of this channel or of our whole app. */
export interface Pause {
  readonly scope: 'channel' | 'app';
  readonly untilMs: number;
}

/** How a platform is spoken to. */
export interface PlatformDialect<Credentials> {
  readonly credentials: v.GenericSchema<unknown, Credentials>;
  /** Nothing for tokens that are not renewed. */
  readonly refresh?: Refresh;
  readonly authorize: (credentials: Credentials) => Readonly<Record<string, string>>;
  /** The refusal in an answer, if it is one. */
  readonly errorOf: (answer: PlatformAnswer, nowMs: number) => PlatformError | undefined;
  /** The rests an answer asks for, by its usage headers. */
  readonly pausesOf?: (answer: PlatformAnswer, nowMs: number) => readonly Pause[];
}

/** A call of a step: with the channel's token, within the step's time. */
export type StepCall = Omit<PlatformCall, 'deadlineMs'>;

/**
 * One step of publishing a target on a platform. Its calls return what they were made for, or end the step
 * by throwing `StepEnded`.
 */
export interface Step<Credentials> {
  readonly job: Job;
  readonly files: MediaFiles;
  /** Renewed when they were due. */
  readonly credentials: Credentials;
  /** What earlier steps remembered, and this one so far. */
  readonly handle: Handle;
  /** Remembers a value; stored with the step's outcome, whichever it is. */
  keep(values: Handle): void;
  /** What was made once is remembered and not made again, in this step and in later ones. */
  once<Schema extends v.GenericSchema>(
    name: string,
    schema: Schema,
    make: () => Promise<v.InferOutput<Schema>>,
  ): Promise<v.InferOutput<Schema>>;
  /** Calls the platform and reads the body of its answer. */
  call<Schema extends v.GenericSchema>(schema: Schema, call: StepCall): Promise<v.InferOutput<Schema>>;
  /** Calls the platform, for answers whose head matters. */
  exchange(call: StepCall): Promise<PlatformAnswer>;
  /** Calls the platform where a refusal is an answer like another. */
  ask(
    call: StepCall,
  ): Promise<PlatformAnswer | { readonly outcome: 'refused'; readonly error: PlatformError }>;
  /** Calls an address the platform gave for this one purpose: without our token, its answer not judged. */
  upload(call: StepCall): Promise<PlatformAnswer>;
}

/** What steps need from outside. */
export interface StepNeeds {
  readonly client: PlatformClient;
  readonly files: MediaFiles;
}

/** The shortest time a call is still begun with. */
const SHORTEST_CALL_MS = 1000;

/** Opens the channel's credentials and begins a step. @throws {StepEnded} when there are none to work with. */
export async function beginStep<Credentials>(
  job: Job,
  dialect: PlatformDialect<Credentials>,
  { client, files }: StepNeeds,
): Promise<Step<Credentials>> {
  const read = (opened: unknown): Credentials => v.parse(dialect.credentials, opened);
  let credentials = read(await opened(job, dialect, false));
  const remembered: Record<string, unknown> = { ...job.handle };

  const reach = async (call: StepCall): Promise<PlatformAnswer> => {
    if (job.deadlineMs - job.clock() < SHORTEST_CALL_MS) {
      throw new StepEnded({ reason: 'not sent', code: 'no_time' });
    }
    const outcome = await client({ ...call, deadlineMs: job.deadlineMs });
    if (outcome.outcome === 'never-sent') throw new StepEnded({ reason: 'not sent', code: outcome.code });
    if (outcome.outcome === 'ambiguous') throw new StepEnded({ reason: 'unclear', code: outcome.code });
    return outcome;
  };

  const once = async (call: StepCall): Promise<PlatformAnswer> => {
    const headers = { ...dialect.authorize(credentials), ...call.headers };
    const answer = await reach({ ...call, headers });
    for (const pause of dialect.pausesOf?.(answer, job.clock()) ?? []) await job.pause(pause);
    return answer;
  };

  const step: Step<Credentials> = {
    job,
    files,
    get credentials() {
      return credentials;
    },
    handle: remembered,
    keep: (values) => void Object.assign(remembered, values),
    async once(name, schema, make) {
      const known = v.safeParse(schema, remembered[name]);
      if (known.success) return known.output;
      const made = await make();
      // Something is there that was not before: what failed on the way to it no longer counts.
      Object.assign(remembered, { [name]: made, tries: 0 });
      return made;
    },
    async ask(call) {
      const answer = await once(call);
      const error = dialect.errorOf(answer, job.clock());
      if (!error) return answer;
      // The token may have been renewed, or have run out, since it was opened: once more with another.
      if (error.class !== 'reconnect' || error.event !== 'token_expired' || !dialect.refresh) {
        return { outcome: 'refused', error };
      }
      credentials = read(await opened(job, dialect, true));
      const second = await once(call);
      const stillError = dialect.errorOf(second, job.clock());
      return stillError ? { outcome: 'refused', error: stillError } : second;
    },
    upload: reach,
    async exchange(call) {
      const answer = await step.ask(call);
      if (answer.outcome === 'refused') throw new StepEnded({ reason: 'refused', error: answer.error });
      return answer;
    },
    async call(schema, call) {
      const { body } = await step.exchange(call);
      const parsed = v.safeParse(schema, body);
      if (!parsed.success) throw new StepEnded({ reason: 'unclear', code: 'unreadable_answer' });
      return parsed.output;
    },
  };
  return step;
}

async function opened<Credentials>(
  job: Job,
  { refresh }: PlatformDialect<Credentials>,
  refused: boolean,
): Promise<unknown> {
  if (!refresh) return job.credentials();
  const fresh = await job.freshCredentials({ refresh, refused });
  switch (fresh.outcome) {
    case 'open':
      return fresh.credentials;
    case 'gone':
      throw new StepEnded({
        reason: 'refused',
        error: { class: 'reconnect', code: fresh.code, text: 'it no longer lets us publish to this account' },
      });
    case 'failed':
      throw new StepEnded({ reason: 'not sent', code: fresh.code });
  }
}
