import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { RequestError } from '../request-error.ts';
import type { Row } from './keys.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write of a transaction, without the table's name, which the table adds. */
export type Write = {
  [Kind in keyof TransactItem]?: Omit<NonNullable<TransactItem[Kind]>, 'TableName'>;
};

/**
 * A write together with what it means that its condition did not hold: either the request ends with an
 * error, or what was read is stale and the decision must be made again.
 */
export interface Effect {
  readonly write: Write;
  readonly refused: (current: Row | undefined) => RequestError | 'read again';
}
