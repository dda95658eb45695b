import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { WebhookCredentials } from '../../../channels/credentials.ts';
import type { MediaFiles } from '../../../media/media-files.ts';
import { SECOND_MS } from '../../../shared/clock.ts';
import type { NewId } from '../../../shared/ids.ts';
import type { guardedRequest } from '../../../shared/outbound/guarded-request.ts';
import { webhookLimits } from '../../../shared/outbound/outbound-limits.ts';
import type { UrlRules } from '../../../shared/outbound/public-url.ts';
import type { Job, Publisher, Sent } from '../../publisher.ts';
import { captionOf, plannedFor } from '../../target.ts';
import { mediaObstacle } from '../media-obstacle.ts';
import { deliver } from './deliver.ts';
import { type DeliveryContent, deliveryBody } from './delivery-body.ts';
import type { RetryableDelivery } from './delivery-outcome.ts';
import { MAX_ATTEMPTS, nextAttempt } from './retry-schedule.ts';

/** What all attempts at one delivery share. */
const DeliveryHandle = v.object({ delivery_id: v.string(), boundary: v.string() });

interface Needs {
  readonly send: typeof guardedRequest;
  readonly files: Pick<MediaFiles, 'open'>;
  readonly newId: NewId;
  readonly random: () => number;
  /** Set by the local service alone. */
  readonly loopback?: UrlRules['loopback'];
}

/** Reading the body once to sign it, at the rate storage gives it, and writing down the outcome after. */
const SIGNING_BYTES_PER_SECOND = 50 * 1024 * 1024;

/** A worker has 15 minutes; what is left of them writes the outcome down. */
const LONGEST_SEND_MS = 850 * SECOND_MS;

/** The exact content of a delivery: the same for every attempt, whatever has happened to the post since. */
function contentOf({ post, target, handle, media }: Job, files: Pick<MediaFiles, 'open'>): DeliveryContent {
  const { boundary } = v.parse(DeliveryHandle, handle);
  return {
    boundary,
    meta: { jobId: post.id, caption: captionOf(target, post), scheduledAt: plannedFor(post) },
    media: media.map((file, index) => ({
      filename: file.filename ?? `media-${index + 1}${extensionOf(file.object_key)}`,
      contentType: file.mime,
      size: file.bytes,
      open: () => files.open(file),
    })),
  };
}

const extensionOf = (objectKey: string): string => objectKey.slice(objectKey.lastIndexOf('.'));

/**
 * Delivers posts to customers' endpoints: at least once by contract, with one delivery id and the same
 * bytes in every attempt, so that a receiver can tell a repeat. An attempt whose fate is unknown is
 * therefore simply tried again.
 */
export function webhookPublisher({ send, files, newId, random, loopback }: Needs): Publisher {
  const again = (job: Job, failed: RetryableDelivery): Sent => {
    const nowMs = job.clock();
    const next = nextAttempt({
      attempt: job.target.sends,
      outcome: failed,
      firstAttemptAtMs: Date.parse(job.target.first_sent_at ?? new Date(nowMs).toISOString()),
      nowMs,
      random: random(),
      horizonHours: job.channel.retry_hours,
    });
    if (next !== 'exhausted')
      return { outcome: 'retry', atMs: next.atMs, code: failed.code, message: failed.reason };
    const message = `${failed.reason}; given up after ${job.target.sends} of at most ${MAX_ATTEMPTS} attempts`;
    return { outcome: 'refused', code: failed.code, message };
  };

  return {
    maxSends: MAX_ATTEMPTS,
    isRepeatable: true,
    prepareMs: 5 * SECOND_MS,

    sendMs(job) {
      const { size } = deliveryBody(contentOf(job, files));
      const signingMs = (size / SIGNING_BYTES_PER_SECOND) * 1000;
      return Math.min(webhookLimits(size).totalMs + signingMs, LONGEST_SEND_MS);
    },

    async prepare(job) {
      if (job.channel.webhook_url === undefined) {
        return { outcome: 'refused', code: 'no_url', message: 'the channel has no URL; connect it again' };
      }
      const obstacle = mediaObstacle(job);
      if (obstacle) return obstacle;
      if (v.is(DeliveryHandle, job.handle)) return { outcome: 'ready', handle: job.handle };
      const handle = { delivery_id: newId(job.clock()), boundary: randomBytes(24).toString('base64url') };
      return { outcome: 'ready', handle };
    },

    async send(job) {
      const { secret } = v.parse(WebhookCredentials, await job.credentials());
      const { delivery_id } = v.parse(DeliveryHandle, job.handle);
      const outcome = await deliver(
        {
          deliveryId: delivery_id,
          content: contentOf(job, files),
          channel: { url: job.channel.webhook_url ?? '', secret },
        },
        { send, now: job.clock, deadlineMs: job.deadlineMs, loopback },
      );
      switch (outcome.outcome) {
        case 'delivered':
          return {
            outcome: 'posted',
            externalPostId: outcome.remoteId,
            externalPostUrl: outcome.url,
            warning: outcome.warning,
          };
        case 'refused':
          return { outcome: 'refused', code: outcome.code, message: outcome.reason };
        case 'retry':
          return again(job, outcome);
      }
    },

    async verify() {
      return { outcome: 'absent', code: 'interrupted', message: 'an attempt was cut off; it is made again' };
    },
  };
}
