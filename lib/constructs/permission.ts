import { Stack, Validations } from 'aws-cdk-lib';
import type { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { flattenCfnReference } from 'cdk-nag/lib/utils/flatten-cfn-reference.js';

/** One thing a function may do, said by the construct it may do it to. */
export interface Permission {
  readonly statement: PolicyStatement;
  /** Why the statement names resources by a pattern. @default it names each resource whole */
  readonly wildcardReason?: string;
}

/** Gives a role its permissions; patterns are acknowledged one by one, so a new one does not pass unseen. */
export function permit(role: Role, permissions: readonly Permission[]): void {
  for (const { statement, wildcardReason } of permissions) {
    role.addToPrincipalPolicy(statement);
    if (!wildcardReason) continue;
    for (const resource of statement.resources) {
      const flat = flattenCfnReference(Stack.of(role).resolve(resource));
      if (!flat.includes('*')) continue;
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${flat}]`,
        reason: wildcardReason,
      });
    }
  }
}
