import type { PolicyStatement } from '../../service-model.ts';
import { AwsError } from '../aws-error.ts';
import type { Need } from '../call.ts';
import type { Principal } from '../principals.ts';
import { conditionsHold } from './conditions.ts';
import { matches, matchesAction } from './match.ts';

/** What a set of statements says to a need; `implicit` is a refusal because nothing allows it. */
export type Verdict = 'allowed' | 'explicit deny' | 'implicit deny';

/** Judges as IAM does: an explicit Deny wins, then any Allow, else refused. */
export function evaluate(statements: readonly PolicyStatement[], need: Need): Verdict {
  const applying = statements.filter(
    ({ Action, Resource, Condition }) =>
      Action.some((pattern) => matchesAction(pattern, need.action)) &&
      Resource.some((pattern) => matches(pattern, need.resource)) &&
      conditionsHold(Condition, need.context ?? {}),
  );
  if (applying.some(({ Effect }) => Effect === 'Deny')) return 'explicit deny';
  return applying.length > 0 ? 'allowed' : 'implicit deny';
}

/** @throws {AwsError} AccessDeniedException naming principal, action and resource, at the first need not allowed */
export function authorise(principal: Principal, needs: readonly Need[]): void {
  for (const need of needs) {
    const verdict = evaluate(principal.statements, need);
    if (verdict === 'allowed') continue;
    const why =
      verdict === 'explicit deny'
        ? 'with an explicit deny in an identity-based policy'
        : `because no identity-based policy allows the ${need.action} action`;
    throw new AwsError(
      'AccessDeniedException',
      `User: ${principal.arn} is not authorized to perform: ${need.action} on resource: ${need.resource} ${why}`,
      403,
    );
  }
}
