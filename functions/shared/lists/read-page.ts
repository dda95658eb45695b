import { type CursorScope, openCursor, sealCursor } from './cursor.ts';
import type { Page } from './page.ts';

interface Asked {
  readonly scope: CursorScope;
  /** `next_cursor` of the page before; none for the first page. */
  readonly cursor: string | undefined;
  readonly nowMs: number;
}

/**
 * Reads one page of a list that is ordered by id, and seals the place where the next one starts.
 *
 * @param read the items older than an id, newest first, and whether there are more.
 * @throws {RequestError} invalid_request for a cursor that is not of this list.
 */
export async function readPage<Item extends { readonly id: string }>(
  { scope, cursor, nowMs }: Asked,
  read: (olderThan: string | undefined) => Promise<{ items: Item[]; hasMore: boolean }>,
): Promise<Page<Item>> {
  const { items, hasMore } = await read(
    cursor === undefined ? undefined : await openCursor(cursor, scope, nowMs),
  );
  const last = items.at(-1);
  return {
    data: items,
    has_more: hasMore,
    next_cursor: hasMore && last ? await sealCursor(last.id, scope, nowMs) : null,
  };
}
