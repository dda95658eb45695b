import { wireBody } from '../../../functions/publishing/platforms/call-body.ts';
import {
  type CallOutcome,
  type PlatformCall,
  type PlatformClient,
  parsedJson,
} from '../../../functions/publishing/platforms/platform-client.ts';
import { platformLimits } from '../../../functions/shared/outbound/outbound-limits.ts';
import type { FakeAnswer, FakePlatform } from '../../../local/platforms/fake-platform.ts';
import type { Process } from '../simulation/process.ts';
import type { World } from '../simulation/world.ts';

/**
 * What becomes of a call: whether it takes effect, when, and what its caller sees of it. Most are lies or
 * silence. An effect that comes later than the answer comes within the time a platform may take.
 */
const LIES = {
  truth: { effect: 'now', answer: 'its own' },
  'times out after taking effect': { effect: 'now', answer: 'silence' },
  'resets after taking effect': { effect: 'now', answer: 'reset' },
  '500 after taking effect': { effect: 'now', answer: 'broken' },
  'a limit after taking effect': { effect: 'now', answer: 'limited' },
  'garbage after taking effect': { effect: 'now', answer: 'garbage' },
  'takes effect long after its timeout': { effect: 'late', answer: 'silence' },
  'takes effect after a reset': { effect: 'late', answer: 'reset' },
  'resets without effect': { effect: 'none', answer: 'reset' },
  '500 without effect': { effect: 'none', answer: 'broken' },
  'never connects': { effect: 'none', answer: 'unsent' },
} as const;
export type Lie = keyof typeof LIES;
export const LIE_NAMES = Object.keys(LIES) as Lie[];

/** The latest a platform may still act on a request that was cut off, before anyone may send again. */
const LATEST_EFFECT_MS = 45_000;

interface Terms {
  readonly world: World;
  readonly process: Process;
  /** Which fake a URL leads to. */
  readonly platformOf: (url: URL) => FakePlatform | undefined;
  readonly lies: (call: PlatformCall) => Lie;
  /** What a platform says when it is limited, and when it is broken. */
  readonly limited: FakeAnswer;
  readonly broken: FakeAnswer;
}

/** A client whose platforms are fakes in the world of a test, and lie. */
export function lyingClient(terms: Terms): PlatformClient {
  const { world, process, lies } = terms;
  return (call) => {
    const { effect, answer } = LIES[lies(call)];
    return process
      .call(`platform.${call.kind}`, async (): Promise<FakeAnswer | undefined> => {
        if (effect === 'now') return perform(call, terms);
        if (effect === 'late') {
          world.after(world.between(1_000, LATEST_EFFECT_MS), () => void perform(call, terms));
        }
        return undefined;
      })
      .then((own) => seen(call, answer, own, terms));
  };
}

async function seen(
  call: PlatformCall,
  answer: (typeof LIES)[Lie]['answer'],
  own: FakeAnswer | undefined,
  { process, limited, broken }: Terms,
): Promise<CallOutcome> {
  switch (answer) {
    case 'its own':
      return answered(own ?? { status: 500 });
    case 'limited':
      return answered(limited);
    case 'broken':
      return answered(broken);
    case 'garbage':
      return { outcome: 'answered', status: 200, headers: {}, body: undefined };
    case 'reset':
      return { outcome: 'ambiguous', code: 'connection_lost' };
    case 'unsent':
      return { outcome: 'never-sent', code: 'connect_failed' };
    case 'silence': {
      const leftMs = (call.deadlineMs ?? Number.POSITIVE_INFINITY) - process.clock();
      await process.sleep(Math.max(0, Math.min(platformLimits(call.kind).totalMs, leftMs)));
      return { outcome: 'ambiguous', code: 'answer_timeout' };
    }
  }
}

const answered = ({ status, headers = {}, body }: FakeAnswer): CallOutcome => ({
  outcome: 'answered',
  status,
  headers,
  body: parsedJson(typeof body === 'string' ? body : (JSON.stringify(body) ?? '')),
});

async function perform(call: PlatformCall, { platformOf }: Terms): Promise<FakeAnswer> {
  const url = new URL(call.url);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const platform = platformOf(url);
  if (!platform) throw new Error(`no fake platform is at ${url}`);
  const wire = call.body && wireBody(call.body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of wire?.body.open() ?? []) chunks.push(chunk);
  const headers = Object.entries({ ...(wire && { 'content-type': wire.contentType }), ...call.headers });
  return platform.handle({
    method: call.method,
    path: url.pathname.replace(/^\/platforms\/[^/]+/, ''),
    query: url.searchParams,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: Buffer.concat(chunks),
  });
}
