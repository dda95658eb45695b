import { AwsError } from '../aws-error.ts';
import { type Json, listOf, objectOf, textOf } from '../json.ts';

const MAX_BATCH = 10;

/** Runs each entry by itself and reports both kinds of outcome, as the batch operations do. */
export function batch(input: Json, run: (entry: Json) => Json): Json {
  const results = entries(input).map((entry) => {
    const Id = textOf(entry.Id);
    try {
      return { Successful: { Id, ...run(entry) } };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return { Failed: { Id, Code: error.code, Message: error.message, SenderFault: true } };
    }
  });
  return {
    Successful: results.flatMap(({ Successful }) => Successful ?? []),
    Failed: results.flatMap(({ Failed }) => Failed ?? []),
  };
}

/** A batch's entries. @throws {AwsError} when there are none, too many, or two of one id */
export function entries(input: Json): readonly Json[] {
  const list = listOf(input.Entries).map(objectOf);
  if (list.length === 0)
    throw new AwsError('EmptyBatchRequest', 'The batch request does not contain any entries.');
  if (list.length > MAX_BATCH)
    throw new AwsError('TooManyEntriesInBatchRequest', `At most ${MAX_BATCH} entries, got ${list.length}.`);
  if (new Set(list.map(({ Id }) => Id)).size < list.length) {
    throw new AwsError(
      'BatchEntryIdsNotDistinct',
      'Two or more batch entries in the request have the same Id.',
    );
  }
  return list;
}

/** A whole number of the input, if it is given. @throws {AwsError} when it is out of range */
export function within(input: Json, name: string, least: number, most: number): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(
    `Value ${String(value)} for parameter ${name} is invalid. Reason: Must be between ${least} and ${most}, if provided.`,
  );
}

/** SQS's word for a parameter out of bounds. */
export function invalid(message: string): AwsError {
  return new AwsError('InvalidParameterValue', message);
}
