import * as v from 'valibot';
import type { MediaRow } from '../media/media.ts';
import { mediaItem } from '../media/media.ts';
import type { FetchMessage } from '../media/media-messages.ts';
import { type ArrivingFile, newMedia, putMedia } from '../media/new-media.ts';
import { lookAtUrl, type UrlNeeds } from '../media/take-url.ts';
import type { NewId } from '../shared/ids.ts';
import type { Queue } from '../shared/queues/queue.ts';
import type { Effect } from '../shared/table/effect.ts';
import { type Found, keys, nameOf } from '../shared/table/keys.ts';
import { WorkspaceRow } from '../workspaces/workspace.ts';
import type { MediaReference } from './post-request.ts';

/** What is known of the files at a request's media URLs, by their place in it. */
export type LookedAt = ReadonlyMap<number, ArrivingFile>;

/**
 * Looks at each URL among a request's media, all at once, so that the rules can judge what it gives. The files
 * themselves are fetched after the post is accepted, and it waits for them.
 *
 * @throws {RequestError} invalid_request, payload_too_large, naming the media.
 */
export async function lookAtMedia(
  media: readonly MediaReference[] = [],
  { workspaceId, found }: { workspaceId: string; found: Found },
  urls: UrlNeeds,
): Promise<LookedAt> {
  if (media.every(({ url }) => url === undefined)) return new Map();
  const { limits } = v.parse(WorkspaceRow, found(keys.workspace(workspaceId)));
  const looked = await Promise.all(
    media.map(({ url }, index) =>
      url === undefined
        ? undefined
        : lookAtUrl({ url, workspaceId, limits, where: `body.media.${index}.url` }, urls),
    ),
  );
  return new Map(looked.flatMap((file, index) => (file ? [[index, file] as const] : [])));
}

/** The media of a post, some of which come into being with it. */
export interface AttachedMedia {
  readonly ids: string[];
  /** Finds the new ones too. */
  readonly found: Found;
  readonly effects: readonly Effect[];
  /** Has the new ones fetched. */
  fetch(queue: Queue<FetchMessage>): Promise<void>;
}

/** Gives each file at a URL its row; the others are named by their id. */
export function attachMedia(
  media: readonly MediaReference[] = [],
  looked: LookedAt,
  { workspaceId, found, nowMs, newId }: { workspaceId: string; found: Found; nowMs: number; newId: NewId },
): AttachedMedia {
  const made: MediaRow[] = [];
  const ids = media.map(({ id }, index) => {
    const file = looked.get(index);
    if (!file) return id ?? '';
    const row = newMedia(file, { id: newId(nowMs), workspaceId, nowMs });
    made.push(row);
    return row.id;
  });
  const rows = new Map(made.map((row) => [nameOf(keys.media(workspaceId, row.id)), mediaItem(row, null)]));
  return {
    ids,
    found: (key) => rows.get(nameOf(key)) ?? found(key),
    effects: made.map((row) => putMedia(row, nowMs)),
    fetch: (queue) =>
      queue.sendAll(made.map(({ id }) => ({ body: { workspace_id: workspaceId, media_id: id } }))),
  };
}
