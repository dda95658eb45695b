import * as v from 'valibot';
import type { Call } from '../access/endpoint.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { RequestError } from '../shared/request-error.ts';
import { Media, showMedia } from './media.ts';
import type { MediaStore } from './media-store.ts';

/** An id that is no UUID names nothing, and is answered 404 like any other that names nothing. */
const MediaPath = v.object({ id: v.pipe(v.string(), v.toLowerCase(), v.metadata({ format: 'uuid' })) });

export const getMediaOperation = defineOperation({
  id: 'getMedia',
  method: 'GET',
  path: '/media/{id}',
  tag: 'Media',
  summary: 'Get media',
  description: 'What is known of one file; its size, duration and thumbnails once it has been processed.',
  scope: 'media:read',
  idempotent: false,
  params: MediaPath,
  success: { status: 200, description: 'The media.', schema: Media },
  refusals: [404],
});

/**
 * One file of the caller's workspace.
 *
 * @throws {RequestError} not_found, for another workspace's as for one that never was.
 */
export async function getMedia(
  { caller, params }: Call<{ id: string }>,
  { media, mediaUrl }: { media: MediaStore; mediaUrl: string },
): Promise<Media> {
  const row = v.is(v.pipe(v.string(), v.uuid()), params.id)
    ? await media.find(caller.workspaceId, params.id)
    : undefined;
  if (!row)
    throw new RequestError('not_found', 'this workspace has no such media; GET /media lists what it has');
  return showMedia(row, mediaUrl);
}
