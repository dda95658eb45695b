import { indexes } from '../shared/table/indexes.ts';
import { keys, nameOf } from '../shared/table/keys.ts';
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

/** Media over the table. */
export function mediaStore(table: ServiceTable): MediaStore {
  /** From the workspace's own rows. */
  async function inOrder(workspaceId: string, { limit, olderThan }: WantedMedia): Promise<MediaRow[]> {
    const { pk, sk: newest } = keys.media(workspaceId, olderThan ?? BEYOND_ALL);
    const { rows } = await table.query({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :oldest AND :newest',
      ExpressionAttributeValues: { ':pk': pk, ':oldest': keys.media(workspaceId, '').sk, ':newest': newest },
      ScanIndexForward: false,
      // BETWEEN includes its bounds, and the page before has shown one of them.
      Limit: limit + 1,
    });
    return rows
      .map(readMedia)
      .filter(({ id }) => id !== olderThan)
      .slice(0, limit);
  }

  /** From the index of one kind, which holds only keys. */
  async function ofKind(
    workspaceId: string,
    kind: MediaRow['kind'],
    wanted: WantedMedia,
  ): Promise<MediaRow[]> {
    const { rows } = await table.query({
      IndexName: indexes.mediaByKind,
      KeyConditionExpression: 'media_of_kind = :kind AND id < :newest',
      ExpressionAttributeValues: {
        ':kind': mediaOfKind(workspaceId, kind),
        ':newest': wanted.olderThan ?? BEYOND_ALL,
      },
      ScanIndexForward: false,
      Limit: wanted.limit,
    });
    const named = rows.map(({ id }) => keys.media(workspaceId, String(id)));
    const found = await table.get(named);
    return named.flatMap((key) => {
      const row = found.get(nameOf(key));
      return row ? [readMedia(row)] : [];
    });
  }

  return {
    async find(workspaceId, id) {
      const key = keys.media(workspaceId, id);
      const row = (await table.get([key])).get(nameOf(key));
      return row && readMedia(row);
    },
    page: (workspaceId, wanted) =>
      wanted.kind === undefined ? inOrder(workspaceId, wanted) : ofKind(workspaceId, wanted.kind, wanted),
  };
}
