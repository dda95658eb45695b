import * as v from 'valibot';
import type { ChannelRow } from '../channels/channel.ts';
import { readChannel } from '../channels/channel-store.ts';
import type { CredentialVault } from '../channels/credential-vault.ts';
import type { Platform } from '../channels/platform.ts';
import { rememberingVault } from '../channels/remembering-vault.ts';
import { type MediaRow, readMedia } from '../media/media.ts';
import { PostRow } from '../posts/post.ts';
import { type Clock, SECOND_MS } from '../shared/clock.ts';
import type { Queue } from '../shared/queues/queue.ts';
import { MAX_DELAY_SECONDS } from '../shared/queues/queue.ts';
import { keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { letGo, takeTurn } from './channel-turn.ts';
import type { PublishingEvents } from './events.ts';
import type { Publisher } from './publisher.ts';
import { runFollowUp } from './run-follow-up.ts';
import { runStages } from './run-stages.ts';
import type { Running } from './take-step.ts';
import { PublishingTarget, type PublishMessage, type TargetName } from './target.ts';
import { type TargetStore, targetKey } from './target-store.ts';

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
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** Enough for what is read and prepared before a stage asks for more. */
const CLAIM_LEASE_MS = 60 * SECOND_MS;

/** A target with its post, its channel and its media. */
export interface LoadedTarget {
  readonly target: PublishingTarget;
  readonly post: PostRow;
  readonly channel: ChannelRow;
  readonly media: readonly MediaRow[];
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
  const { follow_up } = message;
  if (follow_up) {
    const load = () => loadTarget(message, needs.table);
    const again = await runFollowUp({ ...message, follow_up }, { ...needs, functionEndsMs, load });
    return again === undefined ? undefined : resend(message, again, needs);
  }
  const startedMs = needs.clock();
  const claimed = await needs.targets.claim(message, { nowMs: startedMs, leaseMs: CLAIM_LEASE_MS });
  switch (claimed.outcome) {
    case 'nothing to do':
      return;
    case 'early':
      return resend(message, claimed.atMs, needs);
    case 'claimed': {
      const vault = rememberingVault(needs.vault);
      const again = await runInTurn(claimed.target, { ...needs, vault, startedMs, functionEndsMs });
      if (again !== undefined) await resend(message, again, needs);
    }
  }
}

/** Publishes when it is the channel's turn; otherwise lets go of the target until it may be. */
async function runInTurn(target: PublishingTarget, running: Running): Promise<number | undefined> {
  const turn = await takeTurn(target, running.functionEndsMs, running);
  if (turn.outcome === 'wait') {
    return (await letGo(target, turn.atMs, running.table)) ? turn.atMs : undefined;
  }
  try {
    return await runStages({ ...(await loadTarget(target, running.table)), target }, running);
  } finally {
    await turn.release();
  }
}

async function loadTarget(name: TargetName, table: ServiceTable): Promise<LoadedTarget> {
  const { workspace_id, post_id, channel_id } = name;
  const postKey = keys.post(workspace_id, post_id);
  const channelKey = keys.channel(workspace_id, channel_id);
  const rows = await table.get([postKey, channelKey, targetKey(name)]);
  const post = v.parse(PostRow, rows.get(nameOf(postKey)));
  const mediaKeys = post.media_ids.map((id) => keys.media(workspace_id, id));
  const media = mediaKeys.length > 0 ? await table.get(mediaKeys) : undefined;
  return {
    target: v.parse(PublishingTarget, rows.get(nameOf(targetKey(name)))),
    post,
    channel: readChannel(rows.get(nameOf(channelKey)) ?? {}),
    media: mediaKeys.map((key) => readMedia(media?.get(nameOf(key)) ?? {})),
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
