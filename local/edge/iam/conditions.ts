import type { PolicyStatement } from '../../service-model.ts';
import { matches } from './match.ts';

type Test = (wanted: readonly string[], given: readonly string[]) => boolean;

const equals: Test = (wanted, given) => given.some((value) => wanted.includes(value));
const like: Test = (wanted, given) =>
  given.some((value) => wanted.some((pattern) => matches(pattern, value)));

/** The operators our policies use; a key the request does not carry fails all of the single-valued ones. */
const OPERATORS: Readonly<Record<string, Test>> = {
  StringEquals: equals,
  StringLike: like,
  ArnEquals: like,
  ArnLike: like,
  Bool: (wanted, given) => given.some((value) => wanted.includes(value.toLowerCase())),
  // Of a request without the key, ForAllValues is true and ForAnyValue false (IAM user guide).
  'ForAllValues:StringEquals': (wanted, given) => given.every((value) => wanted.includes(value)),
  'ForAllValues:StringLike': (wanted, given) => given.every((value) => like(wanted, [value])),
  'ForAnyValue:StringEquals': equals,
  'ForAnyValue:StringLike': like,
};

/** The condition keys the edge fills in; see the `needs` of the services. */
const KEYS = [
  'bedrock:InferenceProfileArn',
  'dynamodb:LeadingKeys',
  'iam:PassedToService',
  'kms:EncryptionContextKeys',
  'kms:EncryptionContext:*',
  's3:prefix',
];

/** Whether all of a statement's conditions hold. */
export function conditionsHold(
  condition: PolicyStatement['Condition'],
  context: Readonly<Record<string, readonly string[]>>,
): boolean {
  return Object.entries(condition ?? {}).every(([operator, keys]) =>
    Object.entries(keys).every(
      ([key, wanted]) => OPERATORS[operator]?.([wanted].flat(), context[key] ?? []) ?? false,
    ),
  );
}

/**
 * Refuses to start on a statement the edge cannot judge: an unknown operator, key or policy variable
 * would otherwise be ignored, and a permission test that ignores something proves nothing.
 */
export function assertJudgeable(owner: string, statement: PolicyStatement): void {
  const unknown = Object.entries(statement.Condition ?? {}).flatMap(([operator, keys]) => [
    ...(operator in OPERATORS ? [] : [`operator ${operator}`]),
    ...Object.keys(keys)
      .filter((key) => !KEYS.some((pattern) => matches(pattern, key)))
      .map((key) => `key ${key}`),
  ]);
  const variables = JSON.stringify(statement).includes('${') ? ['a policy variable'] : [];
  const problems = [...unknown, ...variables];
  if (problems.length > 0) {
    throw new Error(
      `the local IAM cannot judge ${problems.join(', ')} in ${owner}: ${JSON.stringify(statement)}`,
    );
  }
}
