import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { logger } from '../telemetry.ts';

/**
 * The preset of queue workers. A message that cannot be read throws like any other failure: it is
 * delivered again and ends in the dead-letter queue, where a person sees it; the others of its batch are
 * not held up, since failures are reported one by one.
 */
export function worker<const Schema extends v.GenericSchema>(
  schema: Schema,
  handle: (message: v.InferOutput<Schema>, context: Context) => Promise<void>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const processor = new BatchProcessor(EventType.SQS);
  return (event, context) => {
    const handleRecord = async (record: SQSRecord) => {
      try {
        await handle(v.parse(schema, JSON.parse(record.body)), context);
      } catch (error) {
        logger.error('message failed', { message_id: record.messageId, error: error as Error });
        throw error;
      }
    };
    return processPartialResponse(event, handleRecord, processor, {
      context,
      throwOnFullBatchFailure: false,
    });
  };
}
