import * as v from 'valibot';
import { MEDIA_KINDS } from '../channels/platform.ts';
import type { Row } from '../shared/table/keys.ts';

/** The row of a media file. */
export const MediaRow = v.object({
  id: v.string(),
  workspace_id: v.string(),
  kind: v.picklist(MEDIA_KINDS),
  bytes: v.number(),
  mime: v.string(),
  filename: v.nullable(v.string()),
  created_at: v.string(),
});
export type MediaRow = v.InferOutput<typeof MediaRow>;

/** Reads a media row. */
export const readMedia = (row: Row): MediaRow => v.parse(MediaRow, row);
