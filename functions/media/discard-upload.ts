import * as v from 'valibot';
import { keys } from '../shared/table/keys.ts';
import type { ServiceTable } from '../shared/table/service-table.ts';
import { logger } from '../shared/telemetry.ts';
import type { MediaObjects } from './media-objects.ts';
import { incomingKey, UploadRow } from './upload.ts';

/**
 * Takes away what was uploaded and never registered. A repeat is harmless: the first act is a conditional write
 * after which the upload cannot become media any more, and what is gone already is simply gone.
 */
export async function discardUpload(
  { workspace_id, upload_id }: { workspace_id: string; upload_id: string },
  { table, objects }: { table: ServiceTable; objects: MediaObjects },
): Promise<void> {
  const key = keys.upload(workspace_id, upload_id);
  const marked = await table.update({
    Key: key,
    UpdateExpression: 'SET is_discarded = :yes',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(media_id)',
    ExpressionAttributeValues: { ':yes': true },
  });
  if (marked.outcome === 'refused') return;
  const upload = v.parse(UploadRow, marked.row);
  await objects.remove(upload.object_key);
  await objects.remove(incomingKey(upload));
  await table.commit([{ Delete: { Key: key } }]);
  logger.info('upload discarded', { workspace_id, upload_id });
}
