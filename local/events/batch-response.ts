import * as v from 'valibot';

const BatchResponse = v.nullish(
  v.object({
    batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.pipe(v.string(), v.nonEmpty()) })), []),
  }),
);

/**
 * The messages a function reports as failed. An answer Lambda cannot read, or one that names a message
 * which was not in the batch, fails the whole batch (Lambda guide, "partial batch responses").
 */
export function failedMessages(payload: string, batch: readonly string[]): ReadonlySet<string> {
  const read = v.safeParse(BatchResponse, JSON.parse(payload));
  if (!read.success) return new Set(batch);
  const failed = (read.output?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return new Set(failed.every((id) => batch.includes(id)) ? failed : batch);
}
