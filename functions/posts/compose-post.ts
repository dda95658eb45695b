import type { ChannelRow } from '../channels/channel.ts';
import { readChannel } from '../channels/channel-store.ts';
import { type MediaRow, readMedia } from '../media/media.ts';
import type { NewId } from '../shared/ids.ts';
import { type Found, keys, type RowKey } from '../shared/table/keys.ts';
import { checkContent } from './content-rules.ts';
import type { PostRow, TargetRow } from './post.ts';
import { type PostProblem, refusalOf, refuseFor } from './post-problem.ts';
import type { ChannelTarget, MediaReference } from './post-request.ts';
import { optionProblems } from './target-options.ts';

/** The keys of the channels and media a request names. */
export const namedKeys = (
  workspaceId: string,
  { channels = [], media = [] }: { channels?: readonly ChannelTarget[]; media?: readonly MediaReference[] },
): RowKey[] => [
  ...channels.map(({ id }) => keys.channel(workspaceId, id)),
  ...media.flatMap(({ id }) => (id === undefined ? [] : keys.media(workspaceId, id))),
];

interface Composing {
  readonly found: Found;
  readonly workspaceId: string;
  readonly postId: string;
  readonly nowMs: number;
  readonly newId: NewId;
}

type Reading = Pick<Composing, 'found' | 'workspaceId'>;

const absent = (where: string, what: 'channel' | 'media', id: string): PostProblem => ({
  path: `body.${where}.id`,
  message: `${where}: this workspace has no ${what} ${id}; GET /${what === 'media' ? 'media' : 'channels'} lists what it has`,
});

/** The row of a channel, which must be the workspace's own; another's is as absent as one that never was. */
function ownChannel({ found, workspaceId }: Reading, id: string, where: string): ChannelRow {
  const row = found(keys.channel(workspaceId, id));
  if (row === undefined) throw refusalOf([absent(where, 'channel', id)]);
  return readChannel(row);
}

/** What is wrong with a channel a request names, and with its options. */
function channelProblems(
  { id, options }: ChannelTarget,
  index: number,
  channels: readonly ChannelTarget[],
  { found, workspaceId }: Reading,
): PostProblem[] {
  const where = `channels.${index}`;
  const first = channels.findIndex((each) => each.id === id);
  if (first < index) {
    const message = `${where}: channel ${id} is named twice, first as channels.${first}; name each channel once`;
    return [{ path: `body.${where}.id`, message, same_as: `body.channels.${first}.id` }];
  }
  const row = found(keys.channel(workspaceId, id));
  if (!row) return [absent(where, 'channel', id)];
  return options ? optionProblems(options, readChannel(row).platform, where) : [];
}

/**
 * Makes the targets of a post from a request. A channel that had a target before keeps its id.
 *
 * @throws {RequestError} unprocessable for a channel that is not the workspace's or is named twice, and for
 * options its platform does not take.
 */
export function composeTargets(
  channels: readonly ChannelTarget[],
  composing: Composing,
  before: readonly TargetRow[] = [],
): TargetRow[] {
  refuseFor(channels.flatMap((asked, index) => channelProblems(asked, index, channels, composing)));
  return channels.map((asked, index) => {
    const { platform } = ownChannel(composing, asked.id, `channels.${index}`);
    return {
      id: before.find(({ channel_id }) => channel_id === asked.id)?.id ?? composing.newId(composing.nowMs),
      workspace_id: composing.workspaceId,
      post_id: composing.postId,
      channel_id: asked.id,
      platform,
      status: 'pending',
      caption: asked.caption ?? null,
      title: asked.title ?? null,
      description: asked.description ?? null,
      options: asked.options ?? null,
      external_post_id: null,
      external_post_url: null,
      error_message: null,
    };
  });
}

/**
 * Checks that all attached media are the workspace's own.
 *
 * @throws {RequestError} unprocessable otherwise.
 */
export function ownMedia(ids: readonly string[], { found, workspaceId }: Reading): MediaRow[] {
  const rows = ids.map((id) => found(keys.media(workspaceId, id)));
  refuseFor(ids.flatMap((id, index) => (rows[index] ? [] : [absent(`media.${index}`, 'media', id)])));
  return rows.filter((row) => row !== undefined).map(readMedia);
}

/** Holds a post about to be published against the rules of each platform it goes to. */
export function checkPublishable(
  post: Pick<PostRow, 'caption' | 'media_ids'>,
  targets: readonly TargetRow[],
  composing: Reading,
): void {
  const media = ownMedia(post.media_ids, composing);
  checkContent(
    targets.map((target, index) => ({
      target,
      caption: target.caption ?? post.caption,
      media,
      directPost: ownChannel(composing, target.channel_id, `channels.${index}`).direct_post === true,
    })),
  );
}
