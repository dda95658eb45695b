import { v7 as uuidv7 } from 'uuid';

/**
 * Makes ids: UUIDv7 (RFC 9562), whose first 48 bits are the time in milliseconds, so that an id is also
 * the sort key of "newest first" and of "created before".
 */
export type NewId = (nowMs: number) => string;

export const newId: NewId = (nowMs) => uuidv7({ msecs: nowMs });

/**
 * The smallest possible id of a millisecond. Ids of earlier moments sort before it, so `id < firstIdAt(t)`
 * says "created before t" without reading `created_at`.
 */
export function firstIdAt(ms: number): string {
  const hex = Math.min(Math.max(0, ms), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
