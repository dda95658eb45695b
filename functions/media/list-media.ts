import * as v from 'valibot';
import type { Call } from '../access/endpoint.ts';
import { MEDIA_KINDS } from '../channels/platform.ts';
import type { Clock } from '../shared/clock.ts';
import { defineOperation } from '../shared/http/operation.ts';
import type { CursorScope } from '../shared/lists/cursor.ts';
import { Limit, type Page, pageOf } from '../shared/lists/page.ts';
import { readPage } from '../shared/lists/read-page.ts';
import { Media, showMedia } from './media.ts';
import type { MediaStore } from './media-store.ts';

const ListMediaQuery = v.object({
  kind: v.optional(v.picklist(MEDIA_KINDS, `must be one of ${MEDIA_KINDS.join(', ')}`)),
  limit: Limit,
  cursor: v.optional(v.pipe(v.string(), v.description('next_cursor of the previous page, unchanged.'))),
});
type ListMediaQuery = v.InferOutput<typeof ListMediaQuery>;

export const listMediaOperation = defineOperation({
  id: 'listMedia',
  method: 'GET',
  path: '/media',
  tag: 'Media',
  summary: 'List media',
  description: 'The media library, newest first.',
  scope: 'media:read',
  idempotent: false,
  query: ListMediaQuery,
  success: { status: 200, description: 'A page of media.', schema: pageOf(Media) },
  refusals: [400],
});

interface Needs {
  readonly media: MediaStore;
  readonly clock: Clock;
  readonly mediaUrl: string;
}

/**
 * A page of the caller's media, by id and so by creation: what is added meanwhile comes before the first page.
 *
 * @throws {RequestError} invalid_request for a cursor that is not of this list.
 */
export async function listMedia(
  { caller, query }: Call<unknown, ListMediaQuery>,
  { media, clock, mediaUrl }: Needs,
): Promise<Page<Media>> {
  const { limit, cursor, kind } = query;
  const { workspaceId, cursorKey } = caller;
  const scope: CursorScope = { workspaceId, cursorKey, endpoint: listMediaOperation.path, filters: { kind } };
  return readPage({ scope, cursor, nowMs: clock() }, async (olderThan) => {
    const found = await media.page(workspaceId, { kind, limit: limit + 1, olderThan });
    const items = found.slice(0, limit).map((row) => showMedia(row, mediaUrl));
    return { items, hasMore: found.length > limit };
  });
}
