import * as v from 'valibot';
import type { ChannelRow } from '../channels/channel.ts';
import { readChannel } from '../channels/channel-store.ts';
import type { CredentialVault } from '../channels/credential-vault.ts';
import type { Platform } from '../channels/platform.ts';
import { PostRow } from '../posts/post.ts';
import { type Clock, SECOND_MS } from '../shared/clock.ts';
import type { Queue } from '../shared/queues/queue.ts';
import { MAX_DELAY_SECONDS } from '../shared/queues/queue.ts';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import type { PublishingEvents } from './events.ts';
import type { Publisher } from './publisher.ts';
import { runStages } from './run-stages.ts';
import type { PublishingTarget, PublishMessage } from './target.ts';
import type { TargetStore } from './target-store.ts';

/** What publishing a target needs. */
export interface PublishNeeds {
  readonly table: ServiceTable;
  readonly targets: TargetStore;
  readonly vault: CredentialVault;
  readonly publishQueue: Queue<PublishMessage>;
  readonly publishers: Readonly<Partial<Record<Platform, Publisher>>>;
  readonly events: PublishingEvents;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Enough for what is read and prepared before a stage asks for more. */
const CLAIM_LEASE_MS = 60 * SECOND_MS;

/** A target with its post and its channel. */
export interface LoadedTarget {
  readonly target: PublishingTarget;
  readonly post: PostRow;
  readonly channel: ChannelRow;
}

/**
 * Takes a target as far as it goes now. A repeat is harmless: the first act is a conditional write that
 * only one worker wins, and only while the target has a step to take; each later write carries the fence
 * that this one raised.
 *
 * @param functionEndsMs when the runtime will stop the worker, in milliseconds since the epoch.
 */
export async function publishTarget(
  message: PublishMessage,
  functionEndsMs: number,
  needs: PublishNeeds,
): Promise<void> {
  const startedMs = needs.clock();
  const claimed = await needs.targets.claim(message, { nowMs: startedMs, leaseMs: CLAIM_LEASE_MS });
  switch (claimed.outcome) {
    case 'nothing to do':
      return;
    case 'early':
      return resend(message, claimed.atMs, needs);
    case 'claimed': {
      const loaded = await load(claimed.target, needs.table);
      const again = await runStages(loaded, { ...needs, startedMs, functionEndsMs });
      if (again !== undefined) await resend(message, again, needs);
    }
  }
}

async function load(target: PublishingTarget, table: ServiceTable): Promise<LoadedTarget> {
  const postKey = keys.post(target.workspace_id, target.post_id);
  const channelKey = keys.channel(target.workspace_id, target.channel_id);
  const rows = await table.get([postKey, channelKey]);
  return {
    target,
    post: v.parse(PostRow, rows.get(nameOf(postKey))),
    channel: readChannel(rows.get(nameOf(channelKey)) ?? {}),
  };
}

/** A wait a queue can carry rides on a message; a longer one on the row alone, which the sweeper finds. */
async function resend(
  body: PublishMessage,
  atMs: number,
  { publishQueue, clock }: PublishNeeds,
): Promise<void> {
  const delaySeconds = Math.max(0, Math.ceil((atMs - clock()) / SECOND_MS));
  if (delaySeconds <= MAX_DELAY_SECONDS) await publishQueue.send({ body, delaySeconds });
}
