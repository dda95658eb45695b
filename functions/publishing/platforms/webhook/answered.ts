import { BodyCut } from '../../../shared/outbound/capped-body.ts';
import type { Answer } from '../../../shared/outbound/guarded-request.ts';
import type { DeliveryOutcome } from './delivery-outcome.ts';
import { readReceipt } from './receipt.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** The class of an attempt that got an answer, by its status alone; only a success has its body read. */
export async function classifyAnswer(answer: Answer, nowMs: number): Promise<DeliveryOutcome> {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    return { outcome: 'delivered', httpStatus: status, ...readReceipt(await readBody(answer)) };
  }
  answer.discard();
  const facts = { code: `http_${status}`, httpStatus: status } as const;
  if (status >= 500 || status === 408 || status === 429) {
    const asked =
      status === 429 || status === 503 ? retryAfterSeconds(answer.headers['retry-after'], nowMs) : undefined;
    const reason = `your webhook endpoint answered ${status}`;
    return {
      outcome: 'retry',
      ...facts,
      reason,
      ...(asked === undefined ? {} : { retryAfterSeconds: asked }),
    };
  }
  return {
    outcome: 'refused',
    ...facts,
    reason: `your webhook endpoint answered ${status}${adviceFor(status)}`,
  };
}

/** An answer cut short or compressed is a success all the same; there is just nothing to read in it. */
async function readBody(answer: Answer): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer.body) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof BodyCut)) throw error;
    return undefined;
  }
  return Buffer.concat(chunks);
}

function adviceFor(status: number): string {
  if (status < 400)
    return ', a redirect, which is never followed: set the URL of this channel to its final address';
  if (status === 401 || status === 403)
    return ': check that it verifies the signature with the secret of this channel';
  if (status === 404 || status === 410) return ': check the URL of this channel';
  if (status === 413) return ', the delivery is too large for it: raise its limit or send less media';
  return ' and so refused the delivery for good: look into its log';
}
