import { indexes } from '../shared/table/indexes.ts';
import { below, keys, nameOf } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { type MediaRow, mediaOfKind, readMedia } from './media.ts';

/** One page of a workspace's media, newest first. */
interface WantedMedia {
  readonly kind: MediaRow['kind'] | undefined;
  readonly limit: number;
  /** The id the page before ended with. */
  readonly olderThan: string | undefined;
}

/** The rows of media. */
export interface MediaStore {
  find(workspaceId: string, id: string): Promise<MediaRow | undefined>;
  /** At most `limit` rows. */
  page(workspaceId: string, wanted: WantedMedia): Promise<MediaRow[]>;
}

/** Sorts after every id, and before nothing that could be one. */
const BEYOND_ALL = '~';

/** Media over the table. One kind is read from an index of whole rows, which is a moment behind. */
export function mediaStore(table: ServiceTable): MediaStore {
  return {
    async find(workspaceId, id) {
      const key = keys.media(workspaceId, id);
      const row = (await table.get([key])).get(nameOf(key));
      return row && readMedia(row);
    },

    async page(workspaceId, { kind, limit, olderThan }) {
      const { pk, sk } = keys.media(workspaceId, olderThan ?? BEYOND_ALL);
      const { rows } = await table.query({
        ...(kind && { IndexName: indexes.mediaByKind }),
        KeyConditionExpression: '#partition = :partition AND sk BETWEEN :oldest AND :newest',
        ExpressionAttributeNames: { '#partition': kind ? 'media_of_kind' : 'pk' },
        ExpressionAttributeValues: {
          ':partition': kind ? mediaOfKind(workspaceId, kind) : pk,
          ':oldest': keys.media(workspaceId, '').sk,
          ':newest': below(sk),
        },
        ScanIndexForward: false,
        Limit: limit,
      });
      return rows.map(readMedia);
    },
  };
}
