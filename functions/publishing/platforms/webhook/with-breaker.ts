import * as v from 'valibot';
import { HOUR_MS, SECOND_MS } from '../../../shared/clock.ts';
import { keys, nameOf, type Row } from '../../../shared/table/keys.ts';
import type { ServiceTable } from '../../../shared/table/service-table.ts';
import { logger } from '../../../shared/telemetry.ts';
import type { Job, Prepared, Publisher, Sent } from '../../publisher.ts';
import { type AttemptResult, admission, EndpointHealth, healthAfter, isSilent } from './endpoint-health.ts';
import { HORIZON_HOURS } from './retry-schedule.ts';

interface Needs {
  readonly table: ServiceTable;
  readonly random: () => number;
}

/** Those who wait do not all come back in the same second. */
const SPREAD_MS = 10 * SECOND_MS;

const RESULTS: Partial<Record<Sent['outcome'], AttemptResult>> = {
  posted: 'delivered',
  retry: 'failed',
  refused: 'refused',
};

/**
 * Leaves an endpoint alone that fails most attempts: they are put off, which costs none of them, and one at a
 * time finds out whether it is well again. An endpoint that has taken nothing for five days ends its channel.
 */
export function withBreaker(publisher: Publisher, { table, random }: Needs): Publisher {
  return {
    ...publisher,

    async prepare(job) {
      const untilMs = await waitOf(job, table);
      return untilMs === undefined ? publisher.prepare(job) : putOff(job, untilMs + random() * SPREAD_MS);
    },

    async send(job) {
      const sent = await publisher.send(job);
      // What is lost here is an estimate; what was sent must be written down in any case.
      await note(job, sent, table).catch((error: Error) =>
        logger.warn('endpoint health not noted', { error }),
      );
      return sent;
    },
  };
}

async function waitOf(job: Job, table: ServiceTable): Promise<number | undefined> {
  const key = keyOf(job);
  const nowMs = job.clock();
  const admitted = admission(readHealth((await table.get([key])).get(nameOf(key))), nowMs);
  if (admitted === 'open to all') return undefined;
  if ('untilMs' in admitted) return admitted.untilMs;
  // The one whose write is taken is the probe; the others wait for what it finds.
  const isProbe = (await replace(job, admitted.probe, table)) === 'replaced';
  return isProbe ? undefined : Date.parse(admitted.probe.open_until ?? '');
}

/** The horizon counts from the first attempt, however long the endpoint is left alone. */
function putOff(job: Job, atMs: number): Prepared {
  const { first_sent_at, sends } = job.target;
  const why = { code: 'endpoint_unwell', message: 'your webhook endpoint fails most deliveries' };
  const horizonMs = (job.channel.retry_hours ?? HORIZON_HOURS) * HOUR_MS;
  if (first_sent_at !== undefined && atMs > Date.parse(first_sent_at) + horizonMs) {
    return { outcome: 'refused', ...why, message: `${why.message}; given up after ${sends} attempts` };
  }
  return { outcome: 'retry', atMs, ...why, message: `${why.message} and is left alone for a while` };
}

async function note(job: Job, sent: Sent, table: ServiceTable): Promise<void> {
  const result = RESULTS[sent.outcome];
  if (!result) return;
  const key = keyOf(job);
  const nowMs = job.clock();
  const before = readHealth((await table.get([key])).get(nameOf(key)));
  const after = healthAfter(before, result, nowMs);
  if (after === 'well') {
    if (before) await table.commit([{ Delete: { Key: key } }]);
    return;
  }
  await replace(job, after, table);
  if (result !== 'delivered' && isSilent(after, nowMs)) await job.channelEvent('endpoint_silent');
}

async function replace(job: Job, health: EndpointHealth, table: ServiceTable) {
  const { version, ...rest } = health;
  const committed = await table.commit([
    {
      Put: {
        Item: { ...keyOf(job), version, ...rest },
        ConditionExpression: 'attribute_not_exists(pk) OR version = :before',
        ExpressionAttributeValues: { ':before': version - 1 },
      },
    },
  ]);
  return committed.outcome === 'committed' ? 'replaced' : 'lost';
}

const keyOf = ({ channel }: Job) => keys.endpoint(channel.workspace_id, channel.id);

const readHealth = (row: Row | undefined) => row && v.parse(EndpointHealth, row);
