import * as v from 'valibot';

/** Says that a file's thumbnails may have to be made. Only its row knows. */
export const ProcessMessage = v.object({ workspace_id: v.string(), media_id: v.string() });
export type ProcessMessage = v.InferOutput<typeof ProcessMessage>;

/** Says that media may have to be fetched, or an upload that nobody registered to be taken away. */
export const FetchMessage = v.union([
  ProcessMessage,
  v.object({ workspace_id: v.string(), upload_id: v.string() }),
]);
export type FetchMessage = v.InferOutput<typeof FetchMessage>;
