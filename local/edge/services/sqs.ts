import { unknownOperation } from '../aws-error.ts';
import type { EdgeService } from '../call.ts';
import { textOf } from '../json.ts';
import type { Queues } from '../sqs/queues.ts';
import { jsonAnswer, jsonRefusal, targetOf } from './json-protocol.ts';
import { SQS_OPERATIONS } from './sqs-operations.ts';

const refuse = jsonRefusal('com.amazonaws.sqs#');

/** What a batch operation is called in a policy. */
const ACTIONS: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

/** SQS standard queues over the JSON protocol, with SQS's own limits. */
export function sqs(queues: Queues): EdgeService {
  return {
    streams: false,
    throttled: { code: 'RequestThrottled', status: 400 },
    broken: { code: 'InternalError', status: 500 },
    operation: (request) => targetOf(request, 'AmazonSQS.'),

    // Where an error has two names, clients know it by the older one, which this header carries.
    refusal: (error) => {
      const answer = refuse(error);
      const legacy =
        error.code === 'QueueDoesNotExist' ? 'AWS.SimpleQueueService.NonExistentQueue' : error.code;
      return { ...answer, headers: { ...answer.headers, 'x-amzn-query-error': `${legacy};Sender` } };
    },

    needs: ({ operation, input }) => {
      const action = `sqs:${ACTIONS[operation] ?? operation}`;
      const arn = textOf(input.SourceArn);
      if (operation === 'ListQueues') return [{ action, resource: '*' }];
      if (operation === 'GetQueueUrl')
        return [{ action, resource: queues.byUrl(textOf(input.QueueName)).arn }];
      return [{ action, resource: arn === '' ? queues.byUrl(textOf(input.QueueUrl)).arn : arn }];
    },

    perform: async ({ operation, input, gone }) => {
      const run = SQS_OPERATIONS[operation];
      if (run === undefined) throw unknownOperation('sqs', operation);
      return jsonAnswer(await run(input, queues, gone()));
    },
  };
}
