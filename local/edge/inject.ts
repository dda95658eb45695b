import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsError } from './aws-error.ts';
import type { Answer, EdgeCall, EdgeService } from './call.ts';
import type { Fault, SetFaultRule } from './faults.ts';
import { listOf } from './json.ts';

/** Thrown where the caller gets no answer: its connection is broken instead. */
export class LostReply extends Error {
  override readonly name = 'LostReply';
}

/** Ends the worker behind a call, as the runtime knows how to. */
export type OnCrash = (principal: string, instance: string) => void;

type Injection = (perform: () => Promise<Answer>, at: FaultedCall) => Promise<Answer>;

interface FaultedCall {
  readonly call: EdgeCall;
  readonly service: EdgeService;
  readonly fault: Fault;
  readonly onCrash: OnCrash;
}

const INJECTIONS: Readonly<Record<SetFaultRule['fault'], Injection>> = {
  throttle: async (_perform, { service: { throttled } }) => {
    throw new AwsError(throttled.code, 'Rate exceeded', throttled.status);
  },
  'error-5xx': async (_perform, { service: { broken } }) => {
    throw new AwsError(broken.code, 'An internal error occurred', broken.status);
  },
  conflict: async (_perform, { call, fault }) => {
    throw conflict(call, fault);
  },
  delay: async (perform, { fault }) => {
    await delay(fault.rule.delay_ms);
    return perform();
  },
  'fail-before': async () => {
    throw new LostReply('before');
  },
  'lose-reply': async (perform) => {
    discard(await perform());
    throw new LostReply('after');
  },
  'crash-before': async (_perform, { call, onCrash }) => {
    onCrash(call.principal.id, call.instance);
    throw new LostReply('before');
  },
  'crash-after': async (perform, { call, onCrash }) => {
    discard(await perform());
    onCrash(call.principal.id, call.instance);
    throw new LostReply('after');
  },
};

/** Performs the call under its fault. @throws {LostReply} when nothing may be answered */
export function inject(perform: () => Promise<Answer>, at: FaultedCall): Promise<Answer> {
  return INJECTIONS[at.fault.rule.fault](perform, at);
}

/** Nobody will read what streams. */
function discard({ body }: Answer): void {
  if (body instanceof Readable) body.destroy();
}

/** As DynamoDB words it: a transaction names the item in conflict by its place, a single write has an error of its own. */
function conflict({ operation, input }: EdgeCall, { random }: Fault): AwsError {
  if (!operation.startsWith('Transact')) {
    return new AwsError('TransactionConflictException', 'Transaction is ongoing for the item');
  }
  const items = listOf(input.TransactItems);
  const struck = Math.floor(random() * items.length);
  const reasons = items.map((_, index) =>
    index === struck
      ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' }
      : { Code: 'None' },
  );
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new AwsError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    400,
    { CancellationReasons: reasons },
  );
}
