import type { MediaRow } from '../../../functions/media/media.ts';
import type { MediaFiles } from '../../../functions/media/media-files.ts';
import { keys } from '../../../functions/shared/table/keys.ts';
import type { SimulatedService } from '../simulation/simulated-service.ts';

/** Puts a processed file into a simulated service; its id. */
export function putMedia(
  { table, world }: SimulatedService,
  workspaceId: string,
  media: Partial<MediaRow> & Pick<MediaRow, 'kind'>,
): { readonly id: string } {
  const id = world.uuid();
  const isImage = media.kind === 'image';
  const row: MediaRow = {
    id,
    workspace_id: workspaceId,
    bytes: isImage ? 200_000 : 2_500_000,
    mime: isImage ? 'image/jpeg' : 'video/mp4',
    filename: null,
    object_key: `media/${id}.${isImage ? 'jpg' : 'mp4'}`,
    etag: '"x"',
    status: 'ready',
    source_url: null,
    failure: null,
    thumbnail_status: 'ready',
    width: 1080,
    height: isImage ? 1080 : 1920,
    duration_ms: isImage ? null : 20_000,
    thumbnails: null,
    posters: [],
    fence: 0,
    created_at: new Date(world.now()).toISOString(),
    ...media,
  };
  table.put({ ...keys.media(workspaceId, id), ...row });
  return { id };
}

/** Files of nothing but zeros. */
export const SIMULATED_FILES: Pick<MediaFiles, 'open' | 'publicUrl'> = {
  async *open({ bytes }, { start, end } = { start: 0, end: bytes }) {
    yield new Uint8Array(end - start);
  },
  publicUrl: ({ object_key }) => `https://media.test/${object_key}`,
};

/** Looks at a simulated file as a platform that fetches it would. */
export const fetchSimulated = async (url: string) => ({
  type: url.endsWith('.mp4') ? 'video/mp4' : 'image/jpeg',
  bytes: 1000,
});
